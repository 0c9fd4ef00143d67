-- Who may see and change what: row-level security for everybody, the owner of the tables too.
--
-- The principal is the role that logged in, or the one whose token the transaction has. A token is looked up by its
-- hash each time, so that a statement that was smuggled in can claim to be nobody else without having their token.

do $$
declare
    role text;
begin
    foreach role in array array['memdown_client', 'memdown_definer'] loop
        begin
            execute format('create role %I nologin', role);
        exception when duplicate_object or unique_violation then
            null;  -- another hub of this server has made it
        end;
    end loop;
    -- From PostgreSQL 16 on, whoever makes a role is a member of it that may not take its place.
    if not pg_has_role(
        current_user, 'memdown_definer', case when current_setting('server_version_num')::integer < 160000 then 'member' else 'set' end
    ) then
        execute format('grant memdown_definer to %I', current_user);
    end if;
end
$$;
grant usage on schema memdown to memdown_client;
grant usage, create on schema memdown to memdown_definer;

-- Whoever makes a hub may do everything in it, and uses it as anybody else does.
do $$
begin
    execute format('grant memdown_client to %I', session_user);
exception when invalid_grant_operation then
    null;  -- it has it
end
$$;
insert into memdown.principals (principal) values (session_user) on conflict do nothing;
insert into memdown.grants (project, principal, may, granted_by) values ('*', session_user, 'admin', session_user)
on conflict do nothing;

-- The record of migrations stays with whoever owns the tables.
do $$
begin
    execute format('create policy owning on memdown.migrations to %I using (true)', current_user);
end
$$;

create function memdown.rank(may text) returns integer language sql immutable
return array_position(array['read', 'write', 'admin'], may);

create function memdown.token() returns memdown.tokens language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
    select t from memdown.tokens t
    where t.project = '*' and t.digest = sha256(convert_to(current_setting('memdown.token', true), 'UTF8'))
        and t.revoked_at is null and t.expires_at > now()
$$;

create function memdown.has_token() returns boolean language sql stable set search_path = pg_catalog, pg_temp
return coalesce(current_setting('memdown.token', true), '') <> '';

create function memdown.principal() returns text language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
    select case when memdown.has_token() then (memdown.token()).principal else session_user::text end
$$;

create function memdown.granted(wanted text) returns setof text language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
    select g.project from memdown.grants g
    where g.principal = memdown.principal() and memdown.rank(g.may) >= memdown.rank(wanted)
        and (not memdown.has_token() or memdown.rank((memdown.token()).may) >= memdown.rank(wanted))
$$;

-- The projects of the grants one by one, and as patterns those of groups.
create function memdown.names(wanted text) returns text[] language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
    select coalesce(array_agg(name), '{}') from memdown.granted(wanted) name where name <> '*' and name not like '%/*'
$$;

create function memdown.patterns(wanted text) returns text[] language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
    select coalesce(array_agg(regexp_replace(left(name, -1), '([\\%_])', '\\\1', 'g') || '%'), '{}')
    from memdown.granted(wanted) name where name = '*' or name like '%/*'
$$;

create function memdown.may(wanted text, name text) returns boolean language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
    select name = any (memdown.names(wanted)) or name like any (memdown.patterns(wanted))
$$;

create function memdown.note(name text, what text, facts jsonb) returns void language sql volatile security definer
set search_path = pg_catalog, pg_temp as $$
    insert into memdown.audit (project, principal, act, detail)
    select name, memdown.principal(), what, facts where name = '*' or memdown.may('read', name)
$$;

-- Says that a token was used, once in a minute.
create function memdown.use_token() returns text language sql volatile security definer
set search_path = pg_catalog, pg_temp as $$
    update memdown.tokens set last_used_at = now()
    where project = '*' and digest = (memdown.token()).digest and coalesce(last_used_at, '-infinity') < now() - interval '1 minute';
    select memdown.principal();
$$;

-- Takes a text out of every version that has it, in place: their names stay, so that history stays whole.
create function memdown.redact(name text, secret bytea, instead bytea) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    found record;
    rest bytea;
    done bytea;
    place integer;
    changed integer := 0;
begin
    if not memdown.may('admin', name) then
        raise exception 'only an admin of the project may redact' using errcode = 'insufficient_privilege';
    end if;
    if length(secret) < 4 then
        raise exception 'a text of fewer than four bytes is not redacted' using errcode = 'invalid_parameter_value';
    end if;
    for found in select v.digest, v.content from memdown.versions v
        where v.project = name and position(secret in v.content) > 0 for update
    loop
        rest := found.content;
        done := ''::bytea;
        loop
            place := position(secret in rest);
            exit when place = 0;
            done := done || substring(rest from 1 for place - 1) || instead;
            rest := substring(rest from place + length(secret));
        end loop;
        update memdown.versions set content = done || rest, redacted = redacted + 1
        where project = name and digest = found.digest;
        changed := changed + 1;
    end loop;
    perform memdown.note(name, 'redact', jsonb_build_object('versions', changed, 'sha256', encode(sha256(secret), 'hex')));
    return changed;
end
$$;

-- A protected project takes what somebody else proposed, and what a pipeline publishes from a commit.
create function memdown.guard_protected() returns trigger language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp as $$
begin
    if not (select p.protected from memdown.projects p where p.project = new.project) then
        return new;
    end if;
    if new.commit is not null and exists (
        select 1 from memdown.principals c where c.project = '*' and c.principal = memdown.principal() and c.kind = 'ci'
    ) then
        return new;
    end if;
    if new.digest is not null and exists (
        select 1 from memdown.proposals p
        where p.project = new.project and p.path = new.path and p.digest = new.digest and p.state = 'open'
            and p.proposed_by <> memdown.principal()
    ) then
        return new;
    end if;
    raise exception 'project % is protected', new.project using errcode = 'insufficient_privilege';
end
$$;
create trigger guard_protected before insert or update on memdown.documents
for each row execute function memdown.guard_protected();

do $$
declare
    name text;
    verb text;
    per_project text := '(project = any ((select memdown.names(%1$L))::text[]) or project like any ((select memdown.patterns(%1$L))::text[]))';
begin
    for name in
        select c.relname from pg_class c where c.relnamespace = 'memdown'::regnamespace and c.relkind in ('r', 'p')
    loop
        execute format('alter table memdown.%I enable row level security', name);
        execute format('alter table memdown.%I force row level security', name);
    end loop;
    foreach name in array array['projects', 'versions', 'documents', 'history', 'records', 'links', 'findings', 'proposals']
    loop
        execute format('create policy reading on memdown.%I for select using (%s)', name, format(per_project, 'read'));
        execute format(
            'create policy adding on memdown.%I for insert with check (%s%s)', name, format(per_project, 'write'),
            case name
                when 'versions' then ' and created_by = (select memdown.principal())'
                when 'documents' then ' and changed_by = (select memdown.principal())'
                when 'history' then ' and principal = (select memdown.principal())'
                when 'proposals' then ' and proposed_by = (select memdown.principal()) and state = ''open'''
                else ''
            end
        );
        execute format('grant select, insert on memdown.%I to memdown_client', name);
    end loop;
    foreach name in array array['projects', 'documents', 'records', 'links', 'proposals'] loop
        execute format(
            'create policy changing on memdown.%I for update using (%s) with check (%s%s)', name,
            format(per_project, 'write'), format(per_project, 'write'),
            case name
                when 'documents' then ' and changed_by = (select memdown.principal())'
                when 'proposals' then ' and decided_by = (select memdown.principal())'
                else ''
            end
        );
    end loop;
    foreach name in array array['records', 'links', 'findings'] loop
        execute format('create policy removing on memdown.%I for delete using (%s)', name, format(per_project, 'write'));
        execute format('grant delete on memdown.%I to memdown_client', name);
    end loop;
    -- Who knows nothing but how to ask may read all, and only functions that say who asks are his.
    foreach name in array array['projects', 'grants', 'tokens', 'principals', 'records', 'documents', 'versions', 'proposals', 'languages']
    loop
        execute format('create policy definer on memdown.%I for select to memdown_definer using (true)', name);
        execute format('grant select on memdown.%I to memdown_definer', name);
    end loop;
end
$$;

grant update (url, branch, commit, revision, changed_at) on memdown.projects to memdown_client;
grant update (digest, canonical, published, revision, commit, dialect, language, changed_at, changed_by)
    on memdown.documents to memdown_client;
grant update (superseded) on memdown.records to memdown_client;
grant update (resolved) on memdown.links to memdown_client;
grant update (state, decided_by, decided_at) on memdown.proposals to memdown_client;
grant update (protected) on memdown.projects to memdown_definer;
create policy definer_changing on memdown.projects for update to memdown_definer using (true);

create policy reading on memdown.hubs for select using (true);
create policy reading on memdown.languages for select using (true);
create policy adding on memdown.languages for insert with check (true);
create policy reading on memdown.migrations for select using (true);
grant select on memdown.hubs, memdown.migrations to memdown_client;
grant select, insert on memdown.languages to memdown_client;

create policy reading on memdown.audit for select using (memdown.may('admin', project));
create policy definer on memdown.audit for insert to memdown_definer with check (true);
grant select on memdown.audit to memdown_client;
grant insert on memdown.audit to memdown_definer;
create policy definer_changing on memdown.versions for update to memdown_definer using (true);
grant update (content, redacted) on memdown.versions to memdown_definer;
create policy definer_changing on memdown.tokens for update to memdown_definer using (true);
grant update (last_used_at) on memdown.tokens to memdown_definer;

create policy reading on memdown.principals for select
    using (principal = (select memdown.principal()) or (select memdown.may('admin', '*')));
-- Any admin may name a person or an agent, whom that gives no right; pipelines are named by admins of the hub.
create policy adding on memdown.principals for insert with check (
    (select memdown.may('admin', '*')) or (kind <> 'ci' and exists (select 1 from memdown.granted('admin')))
);
create policy changing on memdown.principals for update using ((select memdown.may('admin', '*')));
grant select, insert, update (kind) on memdown.principals to memdown_client;

create policy reading on memdown.grants for select
    using (principal = (select memdown.principal()) or memdown.may('admin', project));
create policy adding on memdown.grants for insert
    with check (memdown.may('admin', project) and granted_by = (select memdown.principal()));
create policy changing on memdown.grants for update using (memdown.may('admin', project))
    with check (memdown.may('admin', project) and granted_by = (select memdown.principal()));
create policy removing on memdown.grants for delete using (memdown.may('admin', project));
grant select, insert, delete, update (may, granted_by, granted_at) on memdown.grants to memdown_client;

create policy reading on memdown.tokens for select
    using (principal = (select memdown.principal()) or (select memdown.may('admin', '*')));
create policy adding on memdown.tokens for insert
    with check ((principal = (select memdown.principal()) and not memdown.has_token()) or (select memdown.may('admin', '*')));
create policy changing on memdown.tokens for update
    using (principal = (select memdown.principal()) or (select memdown.may('admin', '*')))
    with check (revoked_at is not null);
grant insert, update (revoked_at) on memdown.tokens to memdown_client;
grant select (project, principal, name, client, may, created_at, expires_at, last_used_at, revoked_at)
    on memdown.tokens to memdown_client;

create function memdown.protect(name text, wanted boolean) returns void language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp as $$
begin
    if not memdown.may('admin', name) then
        raise exception 'only an admin of the project may do that' using errcode = 'insufficient_privilege';
    end if;
    update memdown.projects set protected = wanted where project = name;
    perform memdown.note(name, case when wanted then 'protect' else 'unprotect' end, '{}');
end
$$;

do $$
declare
    made regprocedure;
begin
    for made in
        select p.oid::regprocedure from pg_proc p where p.pronamespace = 'memdown'::regnamespace and p.prosecdef
    loop
        execute format('alter function %s owner to memdown_definer', made);
        execute format('revoke all on function %s from public', made);
        execute format('grant execute on function %s to memdown_client', made);
    end loop;
end
$$;
revoke create on schema memdown from memdown_definer;
grant execute on function memdown.token() to memdown_definer;
revoke execute on function memdown.token() from memdown_client;
-- What it tells is one's own rights.

