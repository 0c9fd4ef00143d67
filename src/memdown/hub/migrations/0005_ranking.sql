-- Of very many records that fit, the best are among those that are ranked; and a project is found by its last parts
-- without looking at the others.

create index projects_ending on memdown.projects (reverse(lower(project)) text_pattern_ops);
grant create on schema memdown to memdown_definer;

-- The projects that a name means, of those that may be read: the one that is called so, else by their last parts; two at most.
create function memdown.named(given text) returns setof text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
    backwards text := reverse(lower(given));
    seen text := format(
        '(p.project = any (%L::text[]) or p.project like any (%L::text[]))', memdown.names('read'), memdown.patterns('read')
    );
begin
    return query execute format('select p.project from memdown.projects p where p.project = %L and %s', given, seen);
    if found then
        return;
    end if;
    return query execute format(
        'with ending as materialized (
            select p.project from memdown.projects p
            where (reverse(lower(p.project)) = %L or reverse(lower(p.project)) like %L) and %s
        ) select e.project from ending e limit 2',
        backwards, regexp_replace(backwards || '/', '([\\%_])', '\\\1', 'g') || '%', seen
    );
end
$$;

create function memdown.most_ranked() returns integer language sql immutable return 20000;

-- Those that may answer, the best first: by their words, else by what they are called, else the newest.
--
-- Ranking reads every vector that fits, so of very many only some are ranked: those that have all words, first where one of
-- them is in the title or the tags, then those that have some there, then any.
create or replace function memdown.candidates(terms jsonb, must jsonb, one_project text, most integer)
returns table (project text, path text, number integer, total bigint)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    any_word tsquery := ''::tsquery;
    all_words tsquery := ''::tsquery;
    spelled tsquery;
    spellings jsonb;
    seen text;
    ranked constant integer := memdown.most_ranked();
begin
    -- Terms of the same number in `of` are spellings of one word.
    for spellings in
        select jsonb_agg(t.term) from jsonb_array_elements(terms) with ordinality t (term, place)
        group by coalesce(t.term ->> 'of', 'at ' || t.place)
    loop
        spelled := ''::tsquery;
        for place in 0 .. jsonb_array_length(spellings) - 1 loop
            spelled := spelled || memdown.asked(spellings -> place ->> 'value', spellings -> place ->> 'form');
        end loop;
        any_word := any_word || spelled;
        all_words := all_words && spelled;
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
    -- Where all that fit are few, they are ranked as they come.
    return query execute format(
        'with fits as materialized (
            select r.project, r.path, r.number, r.words from memdown.records r where r.words @@ %1$L and %2$s limit %4$s
        )
        select f.project, f.path, f.number, count(*) over () from fits f
        where (select count(*) from fits) < %4$s
        order by ts_rank(''{0.1, 0.3, 0.6, 1}'', f.words, %1$L, 1) desc, f.project, f.path, f.number limit %3$s',
        any_word, seen, most, ranked
    );
    if found then
        return;
    end if;
    return query execute format(
        'with best as materialized (
            select r.project, r.path, r.number, r.words from memdown.records r
            where r.words @@ %5$L and ts_filter(r.words, ''{a}'') @@ %1$L and %2$s limit %4$s
        ), whole as materialized (
            select r.project, r.path, r.number, r.words from memdown.records r where r.words @@ %5$L and %2$s
            limit greatest(0, %4$s - (select count(*) from best))
        ), titled as materialized (
            select r.project, r.path, r.number, r.words from memdown.records r
            where r.words @@ %1$L and ts_filter(r.words, ''{a}'') @@ %1$L and %2$s
            limit greatest(0, %4$s - (select count(*) from best) - (select count(*) from whole))
        ), others as materialized (
            select r.project, r.path, r.number, r.words from memdown.records r where r.words @@ %1$L and %2$s
            limit greatest(0, %4$s - (select count(*) from best) - (select count(*) from whole) - (select count(*) from titled))
        ), fits as (
            select * from best union select * from whole union select * from titled union select * from others
        )
        select f.project, f.path, f.number, count(*) over () from fits f
        order by ts_rank(''{0.1, 0.3, 0.6, 1}'', f.words, %1$L, 1) desc, f.project, f.path, f.number limit %3$s',
        any_word, seen, most, ranked, all_words
    );
end
$$;

alter function memdown.named(text) owner to memdown_definer;
revoke all on function memdown.named(text) from public;
grant execute on function memdown.named(text) to memdown_client;
revoke create on schema memdown from memdown_definer;
