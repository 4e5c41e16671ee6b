-- The words of a channel are those of the foundation. Writes the table once more, which is small.
alter table learning.channels alter column search set expression as
  (array_to_tsvector(string_to_array(foundation.words(title || ' ' || description), ' ')));
drop function learning.search_query(text);
drop function learning.words(text);
