"""What a user can ask for: a module or package for each act, named as the command. It takes a Project, returns data."""
