"""`memdown mcp --http`: the same table for many clients at once. Only this room knows an event loop."""
