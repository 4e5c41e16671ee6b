-- What every service stands on: the record of migrations and the one rule for folding text.
create schema foundation;

create table foundation.migrations (
  source      text not null,
  number      int not null,
  name        text not null,
  sha256      text not null,
  applied_at  timestamptz(3) not null default clock_timestamp(),
  primary key (source, number)
);

-- Case and accents folded, the same as fold() in text.ts. The collation is pinned, because lower() under the C
-- locale leaves every letter outside ASCII as it is. Georgian capitals are spelled out, because the ICU inside the
-- embedded server is older than they are.
create function foundation.fold(value text) returns text
  language sql immutable strict parallel safe
  return normalize(regexp_replace(
    translate(lower(normalize(value, nfkd) collate "und-x-icu"),
      'ᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿ',
      'აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿ'),
    U&'[\0300-\036F\0483-\0487\0591-\05BD\05BF\05C1\05C2\05C4\05C5\0610-\061A\064B-\065F\1AB0-\1AFF\1DC0-\1DFF\20D0-\20FF\FE20-\FE2F]', '', 'g'), nfkc);

-- A stored time the way it is sent: ISO 8601 UTC with milliseconds. Used where rows leave as JSON from SQL.
create function foundation.iso(value timestamptz) returns text
  language sql stable strict parallel safe
  return to_char(value at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
