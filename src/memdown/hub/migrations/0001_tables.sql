-- The tables of a hub. Every key begins with the project, so that tables are partitioned by it here and can be
-- distributed by it elsewhere. Rows that belong to no single project have '*' there.
--
-- Files are kept as their bytes, by the sha256 of them; all else is derived and can be made again.

create function memdown.is_right(may text) returns boolean language sql immutable
return may in ('read', 'write', 'admin');

-- The hub itself: who it is for working copies that know several, and what it was made with.
create table memdown.hubs (
    project text primary key default '*' check (project = '*'),
    id uuid not null default gen_random_uuid(),
    partitions integer not null,
    created_at timestamptz not null default now()
);

-- Languages of which there are documents: questions are stemmed in each of them.
create table memdown.languages (project text not null default '*', language text not null, primary key (project, language));

create table memdown.principals (
    project text not null default '*' check (project = '*'),
    principal text not null check (principal <> ''),
    kind text not null default 'person' check (kind in ('person', 'agent', 'ci')),
    created_at timestamptz not null default now(),
    primary key (project, principal)
);

-- Who may do what: in one project, in a group of them (a name that ends in /*), or in all (*).
create table memdown.grants (
    project text not null,
    principal text not null,
    may text not null check (memdown.is_right(may)),
    granted_by text not null,
    granted_at timestamptz not null default now(),
    primary key (project, principal)
);

-- Tokens are known by their hash. What a token may do is the least of its own right and those of its principal.
create table memdown.tokens (
    project text not null default '*' check (project = '*'),
    digest bytea not null check (length(digest) = 32),
    principal text not null,
    name text not null default '',
    client text,
    may text not null check (memdown.is_right(may)),
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    last_used_at timestamptz,
    revoked_at timestamptz,
    primary key (project, digest),
    foreign key (project, principal) references memdown.principals
);

create table memdown.projects (
    project text primary key check (project <> '' and project !~ '[*[:cntrl:]]' and length(project) <= 300),
    url text,
    branch text,
    commit text,
    revision bigint not null default 0,
    protected boolean not null default false,
    created_at timestamptz not null default now(),
    changed_at timestamptz not null default now()
);

-- Every text that a document ever had. `redacted` counts what was taken out of it.
create table memdown.versions (
    project text not null references memdown.projects,
    digest bytea not null check (length(digest) = 32),
    content bytea not null,
    created_at timestamptz not null default now(),
    created_by text not null,
    redacted integer not null default 0,
    primary key (project, digest)
) partition by hash (project);

-- What a document is now. Without a digest it is deleted. `published` is what the last commit had that was pushed.
create table memdown.documents (
    project text not null references memdown.projects,
    path text not null,
    canonical text not null,
    digest bytea,
    published bytea,
    revision bigint not null,
    commit text,
    dialect text,
    language text not null default 'simple',
    changed_at timestamptz not null default now(),
    changed_by text not null,
    primary key (project, path),
    foreign key (project, digest) references memdown.versions,
    foreign key (project, published) references memdown.versions
) partition by hash (project);
create index documents_revision on memdown.documents (project, revision);

-- What it was: one row for each change. `at` is when the hub took it, or when its commit was made.
create table memdown.history (
    project text not null,
    path text not null,
    revision bigint not null,
    digest bytea,
    commit text,
    at timestamptz not null,
    principal text not null,
    primary key (project, path, revision),
    foreign key (project, path) references memdown.documents,
    foreign key (project, digest) references memdown.versions
) partition by hash (project);
create index history_at on memdown.history (project, at);

-- Records of the documents as they are, with the columns that the index of a working copy has.
create table memdown.records (
    project text not null,
    path text not null,
    number integer not null,
    id text not null,
    dialect text not null,
    kind text not null,
    line integer not null,
    end_line integer not null,
    start integer not null,
    stop integer not null,
    at text,
    at_precision text,
    at_text text,
    instant bigint,
    day text,
    expires bigint,
    author text,
    contributors text,
    scope text,
    status text,
    extra text,
    session text,
    ordinal integer not null,
    superseded boolean not null,
    hollow boolean not null,
    content text,
    title text,
    summary text,
    body text,
    about text,
    dated text,
    parts text,
    tags text[] not null,
    tag_names text[] not null,
    people text[] not null,
    names text not null,
    words tsvector not null,
    primary key (project, path, number),
    foreign key (project, path) references memdown.documents
) partition by hash (project);
create index records_words on memdown.records using gin (words) with (fastupdate = on);
create index records_kind on memdown.records (project, kind, instant);

create table memdown.links (
    project text not null,
    path text not null,
    number integer not null,
    position integer not null,
    type text not null,
    target text not null,
    resolved text,
    primary key (project, path, number, position),
    foreign key (project, path, number) references memdown.records on delete cascade
) partition by hash (project);

create table memdown.findings (
    project text not null,
    path text not null,
    position integer not null,
    code text not null,
    severity text not null,
    line integer not null,
    message text not null,
    primary key (project, path, position),
    foreign key (project, path) references memdown.documents
) partition by hash (project);

create table memdown.audit (
    project text not null,
    id uuid not null default gen_random_uuid(),
    at timestamptz not null default clock_timestamp(),
    principal text not null,
    act text not null,
    detail jsonb not null default '{}',
    primary key (project, id)
) partition by hash (project);
create index audit_at on memdown.audit (project, at);

-- What somebody wants a protected project to have. Another has to take it; one that is changed is another proposal.
create table memdown.proposals (
    project text not null references memdown.projects,
    id uuid not null default gen_random_uuid(),
    path text not null,
    canonical text not null,
    base bytea,
    digest bytea not null,
    state text not null default 'open' check (state in ('open', 'taken', 'rejected', 'replaced')),
    proposed_by text not null,
    proposed_at timestamptz not null default now(),
    decided_by text,
    decided_at timestamptz,
    primary key (project, id),
    foreign key (project, digest) references memdown.versions,
    check (decided_by is null or state = 'replaced' or state = 'rejected' or decided_by <> proposed_by)
) partition by hash (project);

do $$
declare
    parent text;
    total integer := current_setting('memdown.partitions')::integer;
begin
    foreach parent in array array['versions', 'documents', 'history', 'records', 'links', 'findings', 'audit', 'proposals']
    loop
        for part in 0 .. total - 1 loop
            execute format(
                'create table memdown.%I partition of memdown.%I for values with (modulus %s, remainder %s)',
                format('%s_%s', parent, lpad(part::text, 3, '0')), parent, total, part
            );
        end loop;
    end loop;
    insert into memdown.hubs (partitions) values (total);
end
$$;
