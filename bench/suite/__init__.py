"""What `bench/run` is made of: corpora, limits, rivals, rows, the page."""
