-- The words of names and texts are those of the foundation; what is stored stays as it is.
create or replace function collections.search_vector(name text, other text) returns tsvector
  language plpgsql immutable strict parallel safe as $$
declare
  named text := foundation.words(name);
  told text := foundation.words(other);
begin
  if named <> '' then named := replace(named, ' ', ':1A ') || ':1A '; end if;
  if told <> '' then told := replace(told, ' ', ':2 ') || ':2'; end if;
  return (named || told)::tsvector;
end $$;
drop function collections.search_query(text);
drop function collections.words(text);
