-- Who asks and what they may is asked several times for each push, and by every statement: in these languages that is
-- planned once for a connection, or not at all.

grant create on schema memdown to memdown_definer;

create or replace function memdown.has_token() returns boolean language sql stable
return coalesce(current_setting('memdown.token', true), '') <> '';

create or replace function memdown.principal() returns text language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
begin
    return case when memdown.has_token() then (memdown.token()).principal else session_user::text end;
end
$$;

create or replace function memdown.names(wanted text) returns text[] language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
begin
    return (
        select coalesce(array_agg(name), '{}') from memdown.granted(wanted) name where name <> '*' and name not like '%/*'
    );
end
$$;

create or replace function memdown.patterns(wanted text) returns text[] language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
begin
    return (
        select coalesce(array_agg(regexp_replace(left(name, -1), '([\\%_])', '\\\1', 'g') || '%'), '{}')
        from memdown.granted(wanted) name where name = '*' or name like '%/*'
    );
end
$$;

create or replace function memdown.may(wanted text, name text) returns boolean language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
begin
    return exists (
        select 1 from memdown.granted(wanted) g
        where g = name or g = '*' and name <> '' or g like '%/*' and starts_with(name, left(g, -1))
    );
end
$$;

create or replace function memdown.note(name text, what text, facts jsonb) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
    insert into memdown.audit (project, principal, act, detail)
    select name, memdown.principal(), what, facts where name = '*' or memdown.may('read', name);
end
$$;
revoke create on schema memdown from memdown_definer;
