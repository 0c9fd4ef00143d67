"""One memory for many repositories: the same questions asked of PostgreSQL. Files stay the truth of a repository."""
