"""From an entry of an older spelling to a canonical one: taken apart, drafted, proven."""
