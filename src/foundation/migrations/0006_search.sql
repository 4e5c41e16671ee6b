-- Words to search by, a space between them: case and accents folded, then cut where neither letter, digit nor mark
-- stands. Chinese and Japanese write no spaces, so each of their characters counts as a word. A word that would not fit
-- into a tsvector is cut. The collations are pinned: the database's own may know only ASCII. PL/pgSQL, because every row
-- that is written pays for it, and a function of SQL that is too long to be inlined costs far more.
create function foundation.words(value text) returns text
  language plpgsql immutable strict parallel safe as $$
declare words text;
begin
  if octet_length(value) = char_length(value) then
    words := regexp_replace(lower(value collate "C"), '[^a-z0-9]+', ' ', 'g');
  else
    words := foundation.fold(value);
    if words ~ '[\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]' then
      words := regexp_replace(words, '([\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])', ' \1 ', 'g');
    end if;
    words := regexp_replace(words collate "und-x-icu", '[^[:alnum:]]+', ' ', 'g');
  end if;
  if octet_length(words) > 2046 then
    words := regexp_replace(words, '([^ ]{200})[^ ]+', '\1', 'g');
  end if;
  return btrim(words);
end $$;

-- All words must occur; the last one may still be unfinished, or each: "ann schm" finds Anna Schmidt. Words hold only
-- letters and digits, so nothing is quoted.
create function foundation.search_query(value text, is_each_unfinished boolean default false) returns tsquery
  language sql immutable strict parallel safe
  return coalesce(replace(nullif(foundation.words(value), ''), ' ',
                          case when is_each_unfinished then ':* & ' else ' & ' end) || ':*', '')::tsquery;
