"""`memdown serve --hub`: a hub over HTTP, for working copies and for assistants. It keeps nothing itself."""
