-- What a record was derived as, so that a push writes those of a document that changed and leaves the others.
--
-- A record without a mark, as a memdown before this one writes it, counts as changed.

alter table memdown.records add column mark bytea;
