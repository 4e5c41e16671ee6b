-- PostgreSQL before 17 has no `set expression`.
alter table learning.channels drop column search;
alter table learning.channels add column search tsvector not null generated always as
  (array_to_tsvector(string_to_array(foundation.words(title || ' ' || description), ' '))) stored;
create index channels_by_word on learning.channels using gin (search) where deleted_at is null;
drop function learning.search_query(text);
drop function learning.words(text);
