"""The page on a project's memory, for a browser on this machine. Needs the extra `web`."""
