-- A secret is taken out of a protected project too: a document may become what the version that it has was made by that.

grant create on schema memdown to memdown_definer;

create or replace function memdown.guard_protected() returns trigger language plpgsql volatile security definer
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
    if exists (
        select 1 from memdown.documents d
        join memdown.versions was on was.project = d.project and was.digest = d.digest and was.redacted > 0
        join memdown.versions v on v.project = d.project and v.digest = new.digest and v.content = was.content
        where d.project = new.project and d.path = new.path
    ) then
        return new;
    end if;
    raise exception 'project % is protected', new.project using errcode = 'insufficient_privilege';
end
$$;

revoke create on schema memdown from memdown_definer;
