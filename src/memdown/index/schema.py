"""The tables of the derived index: tables.sql describes and makes them, indexes.sql what finds rows in them."""

from memdown.lazy import beside

APPLICATION_ID = 0x6D656D64  # "memd"
VERSION = 18
"""Of the schema and of what is put in it; another one in a file means that it is made anew."""
REAL = "r.kind != 'prose' and not r.hollow"
"""What of `record r` is memory: neither text between records, nor a heading or a template without any."""


def script(name: str) -> str:
    """The text of an SQL script beside this module."""
    return beside(__file__, name)
