"""What a user can ask for, one module or package for each act, named as the command. An act takes a Project and returns data."""
