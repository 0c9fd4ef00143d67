-- Made once the tables are filled, which is faster than keeping them up row by row.
create index file_newest_on_top on file (number) where newest_on_top;
create index record_file on record (file);
create index record_id on record (id);
create index record_instant on record (instant);
create index record_kind on record (kind);
create index record_session on record (session, ordinal);
create index record_content on record (content) where content is not null;
create index record_hollow on record (hollow) where hollow;
create index tag_folded on tag (folded, record);
create index person_name on person (name, record);
create index link_target on link (target);
create index link_type on link (type);
create index replaced_by on replaced (by);
