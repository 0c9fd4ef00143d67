"""What a project may set, and what holds where it sets nothing."""
