"""Text with structure: blocks, front matter, data of other tools; what a text costs, and how memory is fenced."""
