-- Where there is nothing but ASCII, folding is lower-casing: a third of the price, which every row that is written with a
-- name pays. PL/pgSQL, because the two branches have collations that one expression of SQL cannot hold. What is stored
-- stays as it is.
create or replace function foundation.fold(value text) returns text
  language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(value) = char_length(value) then return lower(value collate "C"); end if;
  return normalize(regexp_replace(
    translate(lower(normalize(value, nfkd) collate "und-x-icu"),
      'ᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿ',
      'აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿ'),
    U&'[\0300-\036F\0483-\0487\0591-\05BD\05BF\05C1\05C2\05C4\05C5\0610-\061A\064B-\065F\1AB0-\1AFF\1DC0-\1DFF\20D0-\20FF\FE20-\FE2F]', '', 'g'), nfkc);
end $$;
