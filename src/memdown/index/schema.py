"""The tables of the derived index: tables.sql describes and makes them, indexes.sql what finds rows in them."""

from memdown.lazy import beside

APPLICATION_ID = 0x6D656D64  # "memd"
VERSION = 22
"""Of the schema and of what is put in it; another one in a file means that it is made anew."""
REAL = "r.kind != 'prose' and not r.hollow"
"""What of `record r` is memory: neither text between records, nor a heading or a template without any."""
SEARCHED = "not r.hollow"
"""What of `record r` words are looked for in: memory, and the text between."""

IN_FILE = "iif(r.file in (select number from file where newest_on_top), r.start, -r.start)"
"""Orders records of one file and one instant, the newest first: logs mostly grow downwards."""
NEWEST = f"r.instant is null, r.instant desc, r.path, iif(r.instant is null, r.start, {IN_FILE})"
"""Orders `record r`, the newest first; what has no date comes last, as its file has it."""


def script(name: str) -> str:
    """The text of an SQL script beside this module."""
    return beside(__file__, name)


WRITER = "coalesce(json_extract(r.extra, '$.source'), r.author, json_extract(r.extra, '$.author'))"
"""Who wrote a record, as it says itself."""
CONFIRMED = "coalesce(json_extract(r.extra, '$.confirmed'), json_extract(r.extra, '$.confirmed_by'))"
"""Whether, or by whom, a record was confirmed, as it says itself."""
