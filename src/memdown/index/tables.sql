-- The tables of the derived index. Everything in them can be made again from the files.
--
-- Rowids are not stable: a file that changed gets new ones. Lone surrogates (bytes that are not UTF-8) are U+FFFD
-- here. Beside these, `edit_entries`, `task_items` and others are there when a journal is (see journal.sql), and
-- `vector`, what records mean, when somebody asked by meaning (see search/semantic.py).

-- What the index was made from: version, homes, settings, and the state of the folders at the last scan.
create table meta (key text primary key, value) without rowid;

-- One row for each file below the homes, claimed by a dialect or not: what its state on the disk was when it was read,
-- so that the next scan knows whether to read it again. `racy` files were changed so shortly before they were read
-- that a later change may not show; they are read once more and compared by `digest`. `newest_on_top` is 1 when the
-- dates of its records mostly fall from the top downwards.
create table file (
    number integer primary key,
    path text not null unique,
    size integer not null,
    mtime_ns integer not null,
    ctime_ns integer not null,
    inode integer not null,
    digest blob not null,
    dialect text,
    racy integer not null default 0,
    newest_on_top integer not null default 0
);

-- One row for each record, and for each run of text that belongs to none (`kind` is `prose`, `id` path:line). The
-- texts `title`, `summary` and `body` are in `words` under the same rowid, once; all else that a record has is here,
-- in `tag` and in `link`. `at` is RFC 3339 as in the JSON of a record, `at_text` the spelling in the file, `instant`
-- microseconds since 1970 for sorting (a time without a known zone counts as UTC), `day` the date as it was written,
-- `expires` the instant after which the record is over. `contributors` and `extra` are JSON. `start` and `end` are
-- code points of the file's text, `line` and `end_line` count from 1. `session` groups neighbours: the `session` key
-- of its front matter or fields, else the path of a file with several records, else NULL; `ordinal` counts from 0
-- within it, by instant, then path (numbers in it as numbers), then place. `superseded` is 1 when another record
-- replaces it, or it says so itself; `hollow` is 1 when it has a heading or placeholders and nothing else.
-- `content` is a hash of the body of a record that is a file of its own, by which copies are found.
create table record (
    rowid integer primary key,
    file integer not null,
    id text not null,
    dialect text not null,
    kind text not null,
    path text not null,
    line integer not null,
    end_line integer not null,
    start integer not null,
    end integer not null,
    at text,
    at_precision text,
    at_text text,
    instant integer,
    day text,
    expires integer,
    author text,
    contributors text,
    scope text,
    status text,
    extra text,
    session text,
    ordinal integer not null default 0,
    superseded integer not null default 0,
    hollow integer not null default 0,
    content text
);

-- Tags in their order: as spelled, and `folded` (casefold) for finding.
create table tag (
    record integer not null,
    position integer not null,
    name text not null,
    folded text not null,
    primary key (record, position)
) without rowid;

-- Names of the author and contributors, casefolded, without @ and roles: what `author:` finds.
create table person (record integer not null, name text not null, primary key (record, name)) without rowid;

-- Links in their order; `resolved` is the id of the record that the target was found to mean.
create table link (
    record integer not null,
    position integer not null,
    type text not null,
    target text not null,
    resolved text,
    primary key (record, position)
) without rowid;

-- Which record (rowid) is replaced by which.
create table replaced (record integer not null, by integer not null, primary key (record, by)) without rowid;

-- How a record came here, where somebody else wrote or merged it or its branch is not merged: `note` in a few words,
-- `settled` 0 when it should not be relied on for that. `traced` are the files of which that is known, and for which state.
create table origin (record integer primary key, note text not null, settled integer not null);
create table traced (file integer primary key, key text not null);

-- What records in force say of the code, at which line of which file: files and folders that they name, found when
-- memory was read, and whatever else `verify` found to be no longer so. `found` is the path that a target means where
-- it is there. `state` is empty for what was not looked up yet, else fresh, moved, changed, gone or unknown; `now` what
-- is there instead, `since` the commit that made it so, `confirmed` the day on which somebody said that it holds.
create table claimed (
    file integer not null,
    line integer not null,
    kind text not null,
    target text not null,
    sure real not null,
    found text not null default '',
    state text not null default '',
    now text not null default '',
    since text not null default '',
    confirmed text not null default '',
    primary key (file, line, target)
) without rowid;

-- What `check` found in a file. `rules` is a number for all that the findings depend on but the text: the rules, the
-- settings, how a surface names commands, the machine. They are of the text with this `digest`, and hold from `since`
-- until `until` (microseconds since 1970), on `day`, as long as the repository gives the answers in `facts`. `loud` are
-- errors and warnings, `quiet` is info, `tokens` what the file costs to read. `compared` has what rules found that
-- compare all files of a dialect; `turn` is the change of these files before which they did.
create table checked (
    file integer not null,
    rules integer not null,
    digest blob not null,
    tokens integer not null,
    errors integer not null,
    warnings integer not null,
    infos integer not null,
    loud blob,
    quiet blob,
    since integer,
    until integer,
    day text,
    facts blob,
    primary key (file, rules)
) without rowid;
create table compared (
    dialect text not null,
    rules integer not null,
    turn integer not null,
    errors integer not null,
    warnings integer not null,
    infos integer not null,
    loud blob,
    quiet blob,
    since integer,
    until integer,
    day text,
    facts blob,
    primary key (dialect, rules)
) without rowid;

-- What a session should know when it begins, as each file says it: `part` is focus, state, doing, blocker, next and so on
-- (see BriefPoint), `text` one line.
create table point (
    file integer not null,
    position integer not null,
    part text not null,
    line integer not null,
    text text not null,
    primary key (file, position)
) without rowid;

-- Full text. `title`, `tags`, `summary` and `body` as they are in the record, with the tags whose memory the file is
-- (a skill of a layered store); `about`: path, id, author, contributors,
-- scope, status, the values of `extra`, and words of the record's text that no field has; `dated`: the day in words
-- (Monday 8 May 2023); `parts`: what the tokenizer alone would not find: the words of camelCase names, in their order,
-- and pairs of CJK characters (see words.py). Stemmed by porter, case and diacritics folded; `_`, `-`, `/` and `.`
-- part words.
create virtual table words using fts5 (
    title, tags, summary, body, about, dated, parts,
    tokenize = 'porter unicode61 remove_diacritics 2'
);
