-- PostgreSQL before 17 has no `set expression`.
alter table sso.users drop column search;
alter table sso.users add column search tsvector not null generated always as
  (array_to_tsvector(string_to_array(foundation.words(
     coalesce(email, '') || ' ' || coalesce(username, '') || ' ' || coalesce(display_name, '') || ' ' ||
     coalesce(given_name, '') || ' ' || coalesce(family_name, '')), ' '))) stored;
create index users_by_word -- who has these words in name or address?
  on sso.users using gin (search) with (fastupdate = off) where status <> 'deleted';
drop function sso.search_query(text);
drop function sso.words(text);
