-- The words of a person are those of the foundation. Writes the table once more: one or two minutes for a million people.
alter table sso.users alter column search set expression as
  (array_to_tsvector(string_to_array(foundation.words(
     coalesce(email, '') || ' ' || coalesce(username, '') || ' ' || coalesce(display_name, '') || ' ' ||
     coalesce(given_name, '') || ' ' || coalesce(family_name, '')), ' ')));
drop function sso.search_query(text);
drop function sso.words(text);
