-- Every question is stemmed in each language that is noted, so one that is none would end every search: only those that
-- the database has are noted, by those who may write something, and others are passed over.

delete from memdown.languages l where not exists (
    select 1 from pg_catalog.pg_ts_config c where c.cfgnamespace = 'pg_catalog'::regnamespace and c.cfgname = l.language
);
drop policy adding on memdown.languages;
create policy adding on memdown.languages for insert with check (
    project = '*' and exists (
        select 1 from pg_catalog.pg_ts_config c where c.cfgnamespace = 'pg_catalog'::regnamespace and c.cfgname = language
    ) and exists (select 1 from memdown.granted('write'))
);

-- A word, a phrase or the beginning of a word, as it is written and in the stems of each language that is there.
create or replace function memdown.asked(term text, form text) returns tsquery language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
    found tsquery;
    spoken oid;
begin
    if form = 'prefix' then
        found := phraseto_tsquery('simple', term);
        return case when numnode(found) = 0 then found else (found::text || ':*')::tsquery end;
    end if;
    found := phraseto_tsquery('simple', term);
    for spoken in
        select c.oid from memdown.languages l join pg_catalog.pg_ts_config c on c.cfgname = l.language
        where l.project = '*' and l.language <> 'simple' and c.cfgnamespace = 'pg_catalog'::regnamespace
    loop
        found := found || phraseto_tsquery(spoken::regconfig, term);
    end loop;
    return found;
end
$$;
