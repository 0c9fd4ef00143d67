"""The tables of the derived index: tables.sql describes and makes them, indexes.sql what finds rows in them."""

import os

APPLICATION_ID = 0x6D656D64  # "memd"
VERSION = 3
"""Of the schema and of what is put in it; another one in a file means that it is made anew."""


def script(name: str) -> str:
    """The text of an SQL script beside this module."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:  # noqa: PTH118, PTH120, PTH123 - pathlib would be felt in a hook
        return file.read()
