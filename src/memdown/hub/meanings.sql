-- What records mean, where PostgreSQL has pgvector: a direction for the text of each, as whoever pushed it worked it out.
--
-- It is no migration, as a hub may get pgvector at any time: `hub init` and `hub upgrade` run this where it is missing.
-- A vector goes with its record. `digest` is the md5 of the text it was made of, so that a text is worked out once.

create extension if not exists vector with schema public;

create table memdown.meanings (
    project text not null,
    path text not null,
    number integer not null,
    model text not null,
    digest text not null,
    embedding public.vector(384) not null,
    primary key (project, path, number),
    foreign key (project, path, number) references memdown.records on delete cascade
) partition by hash (project);

do $$
declare
    total integer := (select h.partitions from memdown.hubs h);
    part text;
    policy text;
    per_project text := '(project = any ((select memdown.names(%1$L))::text[]) or project like any ((select memdown.patterns(%1$L))::text[]))';
begin
    execute 'alter table memdown.meanings enable row level security';
    execute 'alter table memdown.meanings force row level security';
    for number in 0 .. total - 1 loop
        part := format('meanings_%s', lpad(number::text, 3, '0'));
        execute format(
            'create table memdown.%I partition of memdown.meanings for values with (modulus %s, remainder %s)', part, total, number
        );
        execute format('alter table memdown.%I enable row level security', part);
        execute format('alter table memdown.%I force row level security', part);
    end loop;
    execute format('create policy reading on memdown.meanings for select using (%s)', format(per_project, 'read'));
    execute format('create policy adding on memdown.meanings for insert with check (%s)', format(per_project, 'write'));
    execute format('create policy removing on memdown.meanings for delete using (%s)', format(per_project, 'write'));
end
$$;
create policy definer on memdown.meanings for select to memdown_definer using (true);
grant select, insert, delete on memdown.meanings to memdown_client;
grant select on memdown.meanings to memdown_definer;
grant create on schema memdown to memdown_definer;

-- The nearest of those that may be read, every one of which is looked at: no index may leave out what a filter asks for.
create function memdown.nearest(meaning text, made_by text, must jsonb, one_project text, most integer)
returns table (project text, path text, number integer)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    holds text := memdown.condition(must);
begin
    return query execute format(
        'select m.project, m.path, m.number from memdown.meanings m where m.model = %L
            and (m.project = any (%L::text[]) or m.project like any (%L::text[])) %s %s
        order by m.embedding operator(public.<=>) %L::public.vector, m.project, m.path, m.number limit %s',
        made_by, memdown.names('read'), memdown.patterns('read'),
        case when one_project is null then '' else format('and m.project = %L', one_project) end,
        case when holds = 'true' then '' else format(
            'and exists (select 1 from memdown.records r where r.project = m.project and r.path = m.path and r.number = m.number and %s)',
            holds
        ) end,
        meaning, most
    );
end
$$;
alter function memdown.nearest(text, text, jsonb, text, integer) owner to memdown_definer;
revoke all on function memdown.nearest(text, text, jsonb, text, integer) from public;
grant execute on function memdown.nearest(text, text, jsonb, text, integer) to memdown_client;
revoke create on schema memdown from memdown_definer;
