"""The past of records: the versions git has, which record of one is which of another, and what changed."""
