-- Words under row-level security.
--
-- Behind a policy PostgreSQL does not use a GIN index for what a user asks, as the operator might tell what it saw. So
-- the index is asked by a function that knows who asks, and says only which records may answer, of those that he may
-- see. Their texts are read by himself, behind the policies.

create extension if not exists pg_trgm with schema public;
create index records_names on memdown.records using gin (names public.gin_trgm_ops);

grant create on schema memdown to memdown_definer;

-- A word, a phrase or the beginning of a word, as it is written and in the stems of each language that is there.
create function memdown.asked(term text, form text) returns tsquery language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
    found tsquery;
    spoken text;
begin
    if form = 'prefix' then
        found := phraseto_tsquery('simple', term);
        return case when numnode(found) = 0 then found else (found::text || ':*')::tsquery end;
    end if;
    found := phraseto_tsquery('simple', term);
    for spoken in select l.language from memdown.languages l where l.project = '*' and l.language <> 'simple' loop
        found := found || phraseto_tsquery(spoken::regconfig, term);
    end loop;
    return found;
end
$$;

-- A condition as SQL, from the tree that a query was read into. Every value is quoted here.
create function memdown.condition(node jsonb, deep integer default 0) returns text language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
    value text := node ->> 'value';
    parts text[];
    bare text;
begin
    if deep > 60 then
        raise exception 'the condition is too deep' using errcode = 'invalid_parameter_value';
    end if;
    case node ->> 'is'
        when 'all', 'any' then
            select array_agg(memdown.condition(part, deep + 1)) into parts from jsonb_array_elements(node -> 'of') part;
            return coalesce('(' || array_to_string(parts, case when node ->> 'is' = 'all' then ' and ' else ' or ' end) || ')', 'true');
        when 'not' then return format('not coalesce(%s, false)', memdown.condition(node -> 'of', deep + 1));
        when 'term' then return format('r.words @@ %L::tsquery', memdown.asked(value, node ->> 'form'));
        when 'kind', 'scope', 'dialect' then return format('lower(r.%I) = lower(%L)', node ->> 'is', value);
        when 'status' then return format('position(lower(%L) in lower(r.status)) > 0', value);
        when 'tag' then return format('%L = any (r.tags)', value);
        when 'author' then return format('%L = any (r.people)', value);
        when 'project' then
            bare := regexp_replace(value, '([\\%_])', '\\\1', 'g');
            return format('(lower(r.project) = lower(%L) or r.project ilike %L)', value, '%/' || bare);
        when 'path' then
            return format('(r.path = %L or starts_with(r.path, %L))', value, value || '/');
        when 'id' then return format('starts_with(r.id, %L)', value);
        when 'has' then
            return case value
                when 'author' then 'r.people <> ''{}'''
                when 'date' then 'r.at is not null'
                when 'expiry' then 'r.expires is not null'
                when 'link' then
                    'exists (select 1 from memdown.links l where l.project = r.project and l.path = r.path and l.number = r.number)'
                when 'tag' then 'r.tags <> ''{}'''
                when 'scope' then 'r.scope is not null'
                when 'session' then 'r.session is not null'
                when 'status' then 'r.status is not null'
                when 'summary' then 'coalesce(r.summary, '''') <> '''''
                when 'title' then 'coalesce(r.title, '''') <> '''''
            end;
        when 'expired' then return format('r.expires <= %s', (node ->> 'instant')::bigint);
        when 'stale' then return format('r.instant < %s', (node ->> 'instant')::bigint);
        when 'superseded' then return 'r.superseded';
        when 'undated' then return 'r.at is null';
        when 'after', 'before' then
            bare := case when node ->> 'is' = 'after' then '>=' else '<=' end;
            if node ->> 'instant' is null then
                return format('r.day %s %L', bare, value);
            end if;
            return format(
                'case r.at_precision when ''day'' then r.day %s %L else r.instant %s %s end',
                bare, value, bare, (node ->> 'instant')::bigint
            );
        else
            raise exception 'there is no condition %', node ->> 'is' using errcode = 'invalid_parameter_value';
    end case;
end
$$;

-- Those that may answer, the best first: by their words, else by what they are called, else the newest.
create function memdown.candidates(terms jsonb, must jsonb, one_project text, most integer)
returns table (project text, path text, number integer, total bigint)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    asked tsquery := ''::tsquery;
    term jsonb;
    seen text;
begin
    for term in select * from jsonb_array_elements(terms) loop
        asked := asked || memdown.asked(term ->> 'value', term ->> 'form');
    end loop;
    seen := format(
        'not r.hollow and (r.project = any (%L::text[]) or r.project like any (%L::text[])) and %s',
        memdown.names('read'), memdown.patterns('read'), memdown.condition(must)
    );
    if one_project is not null then
        seen := format('r.project = %L and %s', one_project, seen);
    end if;
    if jsonb_array_length(terms) = 0 then
        return query execute format(
            'select r.project, r.path, r.number, count(*) over () from memdown.records r where %s
            order by r.instant desc nulls last, r.project, r.path, r.number limit %s', seen, most
        );
        return;
    end if;
    -- Ranking reads every vector that fits, so of very many only some are ranked; re-ranking sees the best of them.
    return query execute format(
        'with fits as (select r.project, r.path, r.number, r.words from memdown.records r where r.words @@ %1$L and %2$s limit 20000)
        select f.project, f.path, f.number, count(*) over () from fits f
        order by ts_rank(''{0.1, 0.3, 0.6, 1}'', f.words, %1$L, 1) desc, f.project, f.path, f.number limit %3$s',
        asked, seen, most
    );
end
$$;

-- Those whose title or tags are spelled nearly so, or have it as a part of a word.
create function memdown.spelled_like(text_asked text, must jsonb, one_project text, most integer)
returns table (project text, path text, number integer, total bigint)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    return query execute format(
        'select r.project, r.path, r.number, count(*) over () from memdown.records r
        where (r.names operator(public.%%>) %1$L or r.names ilike %2$L) and not r.hollow
            and (r.project = any (%3$L::text[]) or r.project like any (%4$L::text[])) and %5$s %6$s
        order by public.word_similarity(%1$L, r.names) desc, r.project, r.path, r.number limit %7$s',
        text_asked, '%' || regexp_replace(text_asked, '([\\%_])', '\\\1', 'g') || '%',
        memdown.names('read'), memdown.patterns('read'), memdown.condition(must),
        case when one_project is null then '' else format('and r.project = %L', one_project) end, most
    );
end
$$;

alter function memdown.candidates(jsonb, jsonb, text, integer) owner to memdown_definer;
alter function memdown.spelled_like(text, jsonb, text, integer) owner to memdown_definer;
grant select on memdown.links to memdown_definer;
create policy definer on memdown.links for select to memdown_definer using (true);
do $$
declare
    made regprocedure;
begin
    foreach made in array array[
        'memdown.candidates(jsonb, jsonb, text, integer)', 'memdown.spelled_like(text, jsonb, text, integer)',
        'memdown.condition(jsonb, integer)', 'memdown.asked(text, text)'
    ]::regprocedure[] loop
        execute format('revoke all on function %s from public', made);
        execute format('grant execute on function %s to memdown_client, memdown_definer', made);
    end loop;
end
$$;
revoke create on schema memdown from memdown_definer;
