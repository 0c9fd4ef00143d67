"""The tables of a journal in the index (journal.sql), made again from records whenever a journal changed.

Projects without a journal have none of these tables. Rows are numbered in the order of files and places, and nothing is
in them that no file says (`created_at` and `duration_ms` stay NULL), so an index that is made anew has the same rows.
"""

import sqlite3
from functools import cache

from memdown.dialects.journal.sections import state_word
from memdown.homes import bank_of, parts_of
from memdown.index.schema import script

FORMAT = "1.0"
"""Version of the format, and of these tables: one cannot change without the other. `meta` has it as `journal`."""

INDEXES = {
    "edit_entries": ("date", "task_id", "timestamp", "record_id"),
    "file_modifications": ("edit_entry_id", "file_path", "action"),
    "task_items": ("status", "priority"),
    "task_subtasks": ("task_id",),
    "sessions": ("date", "period", "focus", "status"),
    "error_logs": ("timestamp", "task_id"),
    "transaction_log": ("timestamp", "operation_type", "status"),
    "task_places": ("task_id",),
    "edit_tasks": ("task_id",),
}
"""Columns with an index of their own."""

_RECORDS = "from record r join words w on w.rowid = r.rowid where r.dialect = 'journal' and r.kind = '{}'"
_NUMBER = "row_number() over (order by r.path, r.start, r.id)"
_LISTED = "(select group_concat(value, ', ') from json_each(r.extra, '$.tasks'))"


def _key(key: str) -> str:
    return f"json_extract(r.extra, '$.{key}')"


def _own(name: str) -> str:
    """A name of its own for each row: the first by path has the name, the others their path."""
    order = "r.path like '%/archive/%', r.path"
    return f"case row_number() over (partition by {name} order by {order}) when 1 then {name} else r.path end"


def _best(column: str) -> str:
    """What the first place says that says anything."""
    return (
        f"(select {column} from task_places p where p.task_id = t.task_id and {column} <> '' "
        "order by rank, path, line limit 1)"
    )


_EDITS = f"""
insert into edit_entries
select {_NUMBER}, {_key("date")}, {_key("time")}, {_key("timezone")}, coalesce(r.at, ''), {_LISTED},
    coalesce({_key("full_title")}, w.title, ''), null, {_key("tz_explicit")}, {_key("end_time")}, r.id, r.path,
    r.line
{_RECORDS.format("edit")}
"""
_MODIFICATIONS = f"""
insert into file_modifications
select {_NUMBER}, e.id, {_key("action")}, {_key("file_path")}, coalesce(w.body, ''), null,
    {_key("verb")}, {_key("target")}, r.id, r.path, r.line
from record r join words w on w.rowid = r.rowid
join edit_entries e on e.record_id = {_key("edit")} and e.path = r.path
where r.dialect = 'journal' and r.kind = 'modification'
"""
_PLACES = f"""
insert into task_places
select journal_home(r.path) || coalesce({_key("task")}, r.id), {_key("source")},
    case when r.path like '%/archive/%' then 3 when {_key("source")} = 'registry' then 0
        when {_key("source")} = 'file' then 1 else 2 end,
    coalesce({_key("full_title")}, w.title), journal_state(r.status), {_key("status_text")}, {_key("priority")},
    {_key("started")},
    case when {_key("source")} = 'file' and r.at_text is not {_key("started")} then r.at_text
        else coalesce({_key("updated")}, {_key("last_active")}) end,
    {_key("completed")}, {_key("details")}, w.summary,
    (select group_concat(value, ', ') from json_each(r.extra, '$.dependencies')), r.id, r.path, r.line
{_RECORDS.format("task")} order by r.path, r.start, r.id
"""
_ITEMS = f"""
insert into task_items
select t.task_id, coalesce({_best("title")}, ''), coalesce({_best("status")}, ''), coalesce({_best("priority")}, ''),
    coalesce({_best("started")}, ''), {_best("last_updated")}, {_best("details")}, null, {_best("completed")},
    {_best("description")}
from (select distinct task_id from task_places order by task_id) t
"""
_STEPS = f"""
insert into task_subtasks
select {_NUMBER}, journal_home(r.path) || {_key("task")}, {_key("section")}, {_key("position")},
    coalesce({_key("full_title")}, w.title, ''), {_key("checked")}, null, r.status, r.id, r.path, r.line
{_RECORDS.format("step")}
"""
_DEPENDENCIES = f"""
insert or ignore into task_dependencies
select journal_home(r.path) || coalesce({_key("task")}, r.id), journal_home(r.path) || d.value
from record r, json_each(r.extra, '$.dependencies') d where r.dialect = 'journal' and r.kind = 'task'
"""
_SESSIONS = f"""
insert into sessions
select {_own("journal_name(r.path)")}, coalesce({_key("date")}, ''), {_key("period")}, journal_state(r.status),
    {_key("focus")},
    {_key("started")}, {_key("ended")}, {_key("active_count")}, {_key("paused_count")}, {_key("completed_count")},
    {_key("cancelled_count")}, w.body, null, {_key("pending_count")}, r.id, r.path
{_RECORDS.format("session")} order by r.path
"""
_FILE = f"journal_home(r.path) || coalesce({_key('session_file')}, 'current_session')"
_CACHE = f"""
insert into session_cache
select {_own(_FILE)}, journal_state(r.status), {_key("focus")}, {_key("active_count")}, {_key("paused_count")},
    {_key("completed_count")}, {_key("cancelled_count")}, w.body, {_key("pending_count")}, {_key("started")}, r.id,
    r.path
{_RECORDS.format("cache")} order by r.path
"""
_ERRORS = f"""
insert into error_logs
select {_NUMBER}, coalesce(r.at, ''), {_LISTED},
    coalesce((select target from link where record = r.rowid and type = 'file' order by position limit 1),
        {_key("file")}),
    coalesce({_key("error")}, {_key("full_title")}, w.title, ''), {_key("cause")}, {_key("fix")}, null,
    coalesce({_key("full_title")}, w.title), r.id, r.path, r.line
{_RECORDS.format("error")}
"""
_LOG = """
insert into transaction_log
select row_number() over (order by r.path), r.path,
    coalesce(strftime('%Y-%m-%dT%H:%M:%SZ', max(r.instant) / 1000000, 'unixepoch'), ''), 'read',
    rtrim(case when sum(r.kind = 'edit') then 'edit_entries, ' else '' end
        || case when sum(r.kind = 'modification') then 'file_modifications, ' else '' end
        || case when sum(r.kind = 'task') then 'task_items, ' else '' end
        || case when sum(r.kind = 'step') then 'task_subtasks, ' else '' end
        || case when sum(r.kind = 'session') then 'sessions, ' else '' end
        || case when sum(r.kind = 'cache') then 'session_cache, ' else '' end
        || case when sum(r.kind = 'error') then 'error_logs, ' else '' end, ', '),
    count(*), 'success', null, null, null
from record r where r.dialect = 'journal' and r.kind <> 'prose' group by r.path
"""


def _mentioned(table: str, rows: str, id: str) -> str:
    return f"""
insert into {table} select x.{id}, t.key, journal_home(r.path) || t.value
from {rows} x join record r on r.id = x.record_id and r.path = x.path, json_each(r.extra, '$.tasks') t
"""


_FILL = (
    *(_EDITS, _MODIFICATIONS, _PLACES, _ITEMS, _STEPS, _DEPENDENCIES, _SESSIONS, _CACHE, _ERRORS, _LOG),
    _mentioned("edit_tasks", "edit_entries", "id"),
    _mentioned("error_tasks", "error_logs", "id"),
    _mentioned("session_tasks", "sessions", "id"),
)
_HAS_RECORDS = "select exists (select 1 from record where dialect = 'journal' and kind <> 'prose')"
_HAS_TABLES = "select exists (select 1 from sqlite_master where name = 'edit_entries')"


@cache
def statements() -> list[str]:
    """What makes the tables, and the view at the end. Nothing else says which columns there are."""
    return script("journal.sql").removesuffix(";\n").split(";\n")


def names() -> list[str]:
    """Of the tables and of the view."""
    return [statement.split()[2] for statement in statements()]


def is_there(connection: sqlite3.Connection) -> bool:
    """Whether an index has these tables."""
    return bool(connection.execute(_HAS_TABLES).fetchone()[0])


def fill(connection: sqlite3.Connection) -> None:
    """Bring the tables to what the records say, inside the transaction that changed them."""
    there = is_there(connection)
    if not connection.execute(_HAS_RECORDS).fetchone()[0]:
        if there:
            _drop(connection)
        return
    if there:
        for name in names()[:-1]:
            connection.execute(f"delete from {name}")
    else:
        _make(connection)
    connection.create_function("journal_home", 1, _home, deterministic=True)
    connection.create_function("journal_name", 1, _name, deterministic=True)
    connection.create_function("journal_state", 1, _state, deterministic=True)
    for statement in _FILL:
        connection.execute(statement)


def _make(connection: sqlite3.Connection) -> None:
    for statement in statements():
        connection.execute(statement)
    for table, columns in INDEXES.items():
        for column in columns:
            connection.execute(f"create index {table}_{column} on {table} ({column})")
    connection.execute("insert or replace into meta values ('journal', ?)", (FORMAT,))


def _drop(connection: sqlite3.Connection) -> None:
    *tables, view = names()
    connection.execute(f"drop view {view}")
    for name in tables:
        connection.execute(f"drop table {name}")
    connection.execute("delete from meta where key = 'journal'")


def _home(path: str) -> str:
    """What stands before the ids of a journal whose bank is not at the top: they may be those of another one."""
    folder = (bank_of(path) or "").rpartition("/")[0]
    return f"{folder}/" if folder else ""


def _state(written: str | None) -> str | None:
    return written and (state_word(written) or written)


def _name(path: str) -> str:
    return _home(path) + parts_of(path)[-1]
