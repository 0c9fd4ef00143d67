-- Remote assistants by OAuth 2.1: clients that registered themselves, and what people let them do.
--
-- A client gets a code when somebody agrees, once; for that an access token (among the other tokens) and one to refresh
-- it with. All that comes of one agreement is a family, and ends together: when it is revoked, or when a code or a token
-- to refresh with is used twice, as then somebody has a copy.

create table memdown.clients (
    project text not null default '*' check (project = '*'),
    client text not null,
    name text not null,
    facts jsonb not null,
    created_at timestamptz not null default now(),
    primary key (project, client)
);

create table memdown.authorizations (
    project text not null default '*' check (project = '*'),
    digest bytea not null check (length(digest) = 32),
    kind text not null check (kind in ('code', 'refresh')),
    client text not null,
    family uuid not null,
    principal text not null,
    may text not null check (memdown.is_right(may)),
    facts jsonb not null default '{}',
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz,
    revoked_at timestamptz,
    primary key (project, digest),
    foreign key (project, client) references memdown.clients,
    foreign key (project, principal) references memdown.principals
);
create index authorizations_family on memdown.authorizations (project, family);
alter table memdown.tokens add column family uuid;
create index tokens_family on memdown.tokens (project, family) where family is not null;
grant select (family) on memdown.tokens to memdown_client;

alter table memdown.clients enable row level security;
alter table memdown.clients force row level security;
alter table memdown.authorizations enable row level security;
alter table memdown.authorizations force row level security;

create policy reading on memdown.authorizations for select
    using (principal = (select memdown.principal()) or (select memdown.may('admin', '*')));
create policy changing on memdown.authorizations for update
    using (principal = (select memdown.principal()) or (select memdown.may('admin', '*')))
    with check (revoked_at is not null);
grant select (project, kind, client, family, principal, may, created_at, expires_at, used_at, revoked_at),
    update (revoked_at) on memdown.authorizations to memdown_client;
create policy reading on memdown.clients for select
    using ((select memdown.may('admin', '*')) or exists (
        select 1 from memdown.authorizations a where a.project = clients.project and a.client = clients.client
    ));
grant select on memdown.clients to memdown_client;

create policy definer on memdown.clients to memdown_definer using (true);
create policy definer on memdown.authorizations to memdown_definer using (true);
create policy definer_adding on memdown.tokens for insert to memdown_definer with check (true);
grant select, insert, delete on memdown.clients to memdown_definer;
grant select, insert, update (used_at, revoked_at), delete on memdown.authorizations to memdown_definer;
grant insert, delete on memdown.tokens to memdown_definer;
create policy definer_removing on memdown.tokens for delete to memdown_definer using (family is not null);
grant update (revoked_at) on memdown.tokens to memdown_definer;
grant create on schema memdown to memdown_definer;

-- Anybody may register; who was let in by nobody for a day is forgotten, and what is over as well.
create function memdown.register_client(id text, called text, about jsonb) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
    delete from memdown.authorizations where project = '*' and expires_at < now() - interval '1 day';
    delete from memdown.clients c where c.project = '*' and c.created_at < now() - interval '1 day' and not exists (
        select 1 from memdown.authorizations a where a.project = c.project and a.client = c.client
    );
    insert into memdown.clients (client, name, facts) select id, called, about
    where length(id) between 1 and 100 and length(called) <= 200 and length(about::text) <= 20000;
$$;

create function memdown.client_facts(id text) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select c.facts from memdown.clients c where c.project = '*' and c.client = id
$$;

-- What whoever has the token of this transaction lets a client do. Only a person's own token agrees, none of a client.
create function memdown.authorize_client(code bytea, id text, wanted text, about jsonb) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    own memdown.tokens := memdown.token();
    allowed text;
begin
    if own.principal is null or own.client is not null then
        raise exception 'only a token of your own lets a client in' using errcode = 'insufficient_privilege';
    end if;
    allowed := case when memdown.rank(wanted) < memdown.rank(own.may) then wanted else own.may end;
    insert into memdown.authorizations (digest, kind, client, family, principal, may, facts, expires_at)
    values (code, 'code', id, gen_random_uuid(), own.principal, allowed, about, now() + interval '5 minutes');
    perform memdown.note('*', 'authorize', jsonb_build_object('client', id, 'may', allowed));
    return allowed;
end
$$;

-- What a code or a token to refresh with stands for, as long as it is good.
create function memdown.authorization_of(given bytea, wanted text, id text)
returns table (principal text, may text, facts jsonb, expires_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select a.principal, a.may, a.facts, a.expires_at from memdown.authorizations a
    where a.project = '*' and a.digest = given and a.kind = wanted and a.client = id and a.used_at is null
        and a.revoked_at is null and a.expires_at > now()
$$;

create function memdown.end_family(one uuid) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
    update memdown.authorizations set revoked_at = now() where project = '*' and family = one and revoked_at is null;
    update memdown.tokens set revoked_at = now() where project = '*' and family = one and revoked_at is null;
$$;

-- Give a new pair of tokens for a code or a token to refresh with; null where that is not good. A second time ends all.
create function memdown.redeem(given bytea, wanted text, id text, access bytea, refresh bytea, seconds integer, days integer)
returns text language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
    found memdown.authorizations;
begin
    select * into found from memdown.authorizations a
    where a.project = '*' and a.digest = given and a.kind = wanted and a.client = id for update;
    if found.family is null or found.revoked_at is not null or found.expires_at <= now() then
        return null;
    end if;
    if found.used_at is not null then
        perform memdown.end_family(found.family);
        return null;
    end if;
    update memdown.authorizations set used_at = now() where project = '*' and digest = given;
    delete from memdown.tokens where project = '*' and family = found.family and expires_at < now();
    insert into memdown.tokens (digest, principal, name, client, may, expires_at, family)
    values (access, found.principal, 'client', id, found.may, now() + make_interval(secs => seconds), found.family);
    insert into memdown.authorizations (digest, kind, client, family, principal, may, expires_at)
    values (refresh, 'refresh', id, found.family, found.principal, found.may, now() + make_interval(days => days));
    return found.may;
end
$$;

-- The client that a token is for, by whoever has it.
create function memdown.client_of(given bytea) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select t.client from memdown.tokens t where t.project = '*' and t.digest = given and t.revoked_at is null
$$;

-- End what a token of a client belongs to, by whoever has it.
create function memdown.end_client_token(given bytea, id text) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
    select memdown.end_family(f.family) from (
        select a.family from memdown.authorizations a where a.project = '*' and a.digest = given and a.client = id
        union select t.family from memdown.tokens t where t.project = '*' and t.digest = given and t.client = id
    ) f where f.family is not null
$$;

do $$
declare
    made regprocedure;
begin
    foreach made in array array[
        'memdown.register_client(text, text, jsonb)', 'memdown.client_facts(text)',
        'memdown.authorize_client(bytea, text, text, jsonb)', 'memdown.authorization_of(bytea, text, text)',
        'memdown.redeem(bytea, text, text, bytea, bytea, integer, integer)', 'memdown.end_client_token(bytea, text)',
        'memdown.client_of(bytea)', 'memdown.end_family(uuid)'
    ]::regprocedure[] loop
        execute format('alter function %s owner to memdown_definer', made);
        execute format('revoke all on function %s from public', made);
        execute format('grant execute on function %s to memdown_client', made);
    end loop;
end
$$;
revoke execute on function memdown.end_family(uuid) from memdown_client;
revoke create on schema memdown from memdown_definer;
