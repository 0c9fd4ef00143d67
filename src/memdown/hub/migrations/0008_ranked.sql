-- A search reads the vectors of those that fit once.

grant create on schema memdown to memdown_definer;

-- Those that may answer, the best first: by their words, else by what they are called, else the newest.
--
-- Ranking reads every vector that fits, so of very many only some are ranked: those that have all words, first where one of
-- them is in the title or the tags, then those that have some there, then any. Where none fits, that is not looked for.
-- Each is ranked as it is read, so that no vector is kept or compared with others; titles and tags are the words of weight A.
create or replace function memdown.candidates(terms jsonb, must jsonb, one_project text, most integer)
returns table (project text, path text, number integer, total bigint)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    any_word tsquery := ''::tsquery;
    all_words tsquery := ''::tsquery;
    spelled tsquery;
    spellings jsonb;
    seen text;
    is_any boolean;
    wanted text;
    in_title tsquery;
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
    in_title := regexp_replace(any_word::text, '(''(?:[^'']|'''')+''):?(\*?)', '\1:\2A', 'g')::tsquery;
    wanted := format('r.project, r.path, r.number, ts_rank(''{0.1, 0.3, 0.6, 1}'', r.words, %L, 1) as rank', any_word);
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
            select %5$s from memdown.records r where r.words @@ %1$L and %2$s limit %4$s
        )
        select f.project, f.path, f.number, count(*) over () from fits f
        where (select count(*) from fits) < %4$s
        order by f.rank desc, f.project, f.path, f.number limit %3$s',
        any_word, seen, most, ranked, wanted
    );
    if found then
        return;
    end if;
    execute format('select exists (select 1 from memdown.records r where r.words @@ %L and %s)', any_word, seen) into is_any;
    if not is_any then
        return;
    end if;
    return query execute format(
        'with best as materialized (
            select %6$s from memdown.records r
            where r.words @@ %5$L and r.words @@ %7$L and %2$s limit %4$s
        ), whole as materialized (
            select %6$s from memdown.records r where r.words @@ %5$L and %2$s
            limit greatest(0, %4$s - (select count(*) from best))
        ), titled as materialized (
            select %6$s from memdown.records r
            where r.words @@ %1$L and r.words @@ %7$L and %2$s
            limit greatest(0, %4$s - (select count(*) from best) - (select count(*) from whole))
        ), others as materialized (
            select %6$s from memdown.records r where r.words @@ %1$L and %2$s
            limit greatest(0, %4$s - (select count(*) from best) - (select count(*) from whole) - (select count(*) from titled))
        ), fits as (
            select * from best union select * from whole union select * from titled union select * from others
        )
        select f.project, f.path, f.number, count(*) over () from fits f
        order by f.rank desc, f.project, f.path, f.number limit %3$s',
        any_word, seen, most, ranked, all_words, wanted, in_title
    );
end
$$;
revoke create on schema memdown from memdown_definer;
