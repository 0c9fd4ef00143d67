"""`memdown mcp`: memory for anything that speaks the Model Context Protocol, over standard input and output."""
