-- The nearest by an index, where pgvector can go on in it until a filter has enough (0.8 and newer).
--
-- Like the table it is no migration: `hub init` and `hub upgrade` run this where it is missing.

create index meanings_nearest on memdown.meanings using hnsw (embedding public.vector_cosine_ops);
grant create on schema memdown to memdown_definer;

-- The nearest of those that may be read. Of one project every vector is compared; of all, the index is followed, and where it
-- ends before there are enough, as it does behind a filter that few records pass, every one is compared too.
create or replace function memdown.nearest(meaning text, made_by text, must jsonb, one_project text, most integer)
returns table (project text, path text, number integer)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    holds text := memdown.condition(must);
    fits text := format(
        'm.model = %L and (m.project = any (%L::text[]) or m.project like any (%L::text[])) %s %s',
        made_by, memdown.names('read'), memdown.patterns('read'),
        case when one_project is null then '' else format('and m.project = %L', one_project) end,
        case when holds = 'true' then '' else format(
            'and exists (select 1 from memdown.records r where r.project = m.project and r.path = m.path and r.number = m.number and %s)',
            holds
        ) end
    );
begin
    if one_project is null then
        perform set_config('hnsw.iterative_scan', 'strict_order', true);
        perform set_config('hnsw.ef_search', '200', true);
        return query execute format(
            'with near as materialized (
                select m.project, m.path, m.number, m.embedding operator(public.<=>) %1$L::public.vector as far
                from memdown.meanings m where %2$s order by m.embedding operator(public.<=>) %1$L::public.vector limit %3$s
            )
            select n.project, n.path, n.number from near n where (select count(*) from near) = %3$s
            order by n.far, n.project, n.path, n.number',
            meaning, fits, most
        );
        if found then
            return;
        end if;
    end if;
    return query execute format(
        'select m.project, m.path, m.number from memdown.meanings m where %2$s
        order by (m.embedding operator(public.<=>) %1$L::public.vector) + 0, m.project, m.path, m.number limit %3$s',
        meaning, fits, most
    );
end
$$;
revoke create on schema memdown from memdown_definer;
