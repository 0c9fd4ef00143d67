create table edit_entries (
    id integer primary key, date text not null, time text not null, timezone text, timestamp text not null,
    task_id text, task_description text not null, created_at timestamp,
    tz_explicit integer not null, end_time text, record_id text not null, path text not null, line integer not null
);
create table file_modifications (
    id integer primary key, edit_entry_id integer not null references edit_entries (id) on delete cascade,
    action text not null, file_path text not null, description text not null, created_at timestamp,
    verb text, target text, record_id text not null, path text not null, line integer not null
);
create table task_items (
    id text primary key, title text not null, status text not null, priority text not null, started text not null,
    last_updated timestamp, details text, created_at timestamp,
    completed text, description text
);
create table task_subtasks (
    id integer primary key, task_id text not null references task_items (id) on delete cascade,
    section text, position integer not null, text text not null, checked integer default 0, created_at timestamp,
    status text, record_id text not null, path text not null, line integer not null
);
create table task_dependencies (
    task_id text not null, depends_on text not null, primary key (task_id, depends_on)
) without rowid;
create table sessions (
    id text primary key, date text not null, period text, status text, focus text, start_time text, end_time text,
    active_count integer, paused_count integer, completed_count integer, cancelled_count integer,
    content text, created_at timestamp,
    pending_count integer, record_id text not null, path text not null
);
create table session_cache (
    session_id text primary key, status text, focus_task text, active_tasks_count integer, paused_tasks_count integer,
    completed_tasks_count integer, cancelled_tasks_count integer, raw_content text,
    pending_tasks_count integer, started text, record_id text not null, path text not null
);
create table error_logs (
    id integer primary key, timestamp text not null, task_id text, file_path text, error_message text not null,
    cause text, fix_applied text, created_at timestamp,
    title text, record_id text not null, path text not null, line integer not null
);
create table transaction_log (
    id integer primary key, transaction_id text unique not null, timestamp text not null, operation_type text not null,
    affected_tables text, row_count integer, status text not null, error_message text, duration_ms integer,
    created_at timestamp
);
create table task_places (
    task_id text not null, source text not null, rank integer not null, title text, status text, status_text text,
    priority text, started text, last_updated text, completed text, details text, description text, dependencies text,
    record_id text not null, path text not null, line integer not null
);
create table edit_tasks (
    edit_entry_id integer not null, position integer not null, task_id text not null,
    primary key (edit_entry_id, position)
) without rowid;
create table error_tasks (
    error_id integer not null, position integer not null, task_id text not null, primary key (error_id, position)
) without rowid;
create table session_tasks (
    session_id text not null, position integer not null, task_id text not null, primary key (session_id, position)
) without rowid;
create view edit_entry_modifications as
select e.id as entry_id, e.timestamp, e.task_id, e.task_description, m.id as modification_id, m.action, m.file_path,
    m.description
from edit_entries e join file_modifications m on m.edit_entry_id = e.id;
