-- Items live in several collections; keys are unique per tree; names and texts can be searched and sorted; a repeated
-- POST gets the answer of the first.

-- foundation.fold() at a tenth of its price where there is nothing but ASCII, which it only lower-cases.
create function collections.folded(value text) returns text
  language sql immutable strict parallel safe
  return case when octet_length(value) = char_length(value) then lower(value collate "C") else foundation.fold(value) end;

-- Words to search by, a space between them: case and accents folded, then cut where neither letter, digit nor mark
-- stands. Chinese and Japanese write no spaces, so each of their characters counts as a word. A word that would not fit
-- into a tsvector is cut. The collations are pinned: the database's own may know only ASCII. PL/pgSQL here and below,
-- because every row that is written pays for it, and a function of SQL that is too long to be inlined costs far more.
create function collections.words(value text) returns text
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

-- All words must occur; the last one may still be unfinished. Words hold only letters and digits, so nothing is quoted.
create function collections.search_query(value text) returns tsquery
  language sql immutable strict parallel safe
  return coalesce(replace(nullif(collections.words(value), ''), ' ', ' & ') || ':*', '')::tsquery;

-- Words of a name weigh A, of all other text D. Written as text, because array_to_tsvector() gives no place a weight
-- could stand at.
create function collections.search_vector(name text, other text) returns tsvector
  language plpgsql immutable strict parallel safe as $$
declare
  named text := collections.words(name);
  told text := collections.words(other);
begin
  if named <> '' then named := replace(named, ' ', ':1A ') || ':1A '; end if;
  if told <> '' then told := replace(told, ' ', ':2 ') || ':2'; end if;
  return (named || told)::tsvector;
end $$;

-- The texts among the values of metadata, for searching: as JSON, whose signs are no words, unless something is escaped.
create function collections.metadata_text(metadata jsonb) returns text
  language plpgsql immutable strict parallel safe as $$
declare texts text := jsonb_path_query_array(metadata, 'lax $.*[*] ? (@.type() == "string")');
begin
  if strpos(texts, E'\\') = 0 then return texts; end if;
  return (select string_agg(value #>> '{}', ' ')
            from jsonb_path_query(metadata, 'lax $.*[*] ? (@.type() == "string")') as value);
end $$;

-- name_folded is what names sort by: stored, because folding ten thousand names at every list takes a tenth of a second.
alter table collections.collections
  add column item_count int not null default 0 check (item_count >= 0),
  add column name_folded text collate "C" not null generated always as (collections.folded(name)) stored,
  add column search tsvector not null generated always as
    (collections.search_vector(name, coalesce(description, '') || ' ' || coalesce(external_key, ''))) stored;
drop index collections.collections_by_parent;
create index collections_by_parent -- which are the children of this one, and which of them inherit?
  on collections.collections (parent_id) include (id, inherit_members);
-- Whether a membership up there counts down here: distance <= inherit_reach of the descendant. Rights are judged on that
-- itself; this is for counting ten thousand of them on an index alone.
alter table collections.collection_ancestors add column counts boolean not null default true;
update collections.collection_ancestors as line set counts = false
  from collections.collections as node where node.id = line.descendant_id and line.distance > node.inherit_reach;
alter table collections.collection_ancestors alter column counts drop default;
drop index collections.collection_ancestors_downwards;
create index collection_ancestors_downwards -- what stands below this one, and where do its members count?
  on collections.collection_ancestors (ancestor_id, distance) include (descendant_id, counts);

create index collections_by_root -- what belongs to this tree?
  on collections.collections (root_id);
create index collections_by_word -- which collections hold these words?
  on collections.collections using gin (search);
create index collections_by_metadata -- which collections have this value?
  on collections.collections using gin (metadata jsonb_path_ops);

create table collections.items (
  id            uuid primary key,
  tenant_id     uuid not null,
  name          text not null check (char_length(name) between 1 and 300),
  description   text check (char_length(description) <= 5000),
  external_key  text check (char_length(external_key) between 1 and 128),
  metadata      jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  created_by    uuid,
  version       int not null default 1,
  created_at    timestamptz(3) not null default clock_timestamp(),
  updated_at    timestamptz(3) not null default clock_timestamp(),
  name_folded   text collate "C" not null generated always as (collections.folded(name)) stored,
  search        tsvector not null generated always as
                  (collections.search_vector(name, coalesce(description, '') || ' ' || coalesce(external_key, '')
                                             || ' ' || collections.metadata_text(metadata))) stored
);
create index items_by_word -- which items hold these words?
  on collections.items using gin (search);
create index items_by_metadata -- which items have this value?
  on collections.items using gin (metadata jsonb_path_ops);

-- An item whose last link goes is deleted by whoever removes the link, hence no cascade from items.
create table collections.collection_items (
  collection_id  uuid not null references collections.collections on delete cascade,
  item_id        uuid not null references collections.items,
  added_at       timestamptz(3) not null default clock_timestamp(),
  added_by       uuid,
  primary key (collection_id, item_id)
);
create index collection_items_by_item -- which collections hold this item?
  on collections.collection_items (item_id);
create index collection_items_newest -- what was added to this collection last?
  on collections.collection_items (collection_id, added_at desc, item_id desc);

-- One row per tree that holds an item with a key: the primary key is the rule that a key names one item of a tree.
create table collections.item_keys (
  root_id       uuid not null references collections.collections on delete cascade,
  external_key  text not null,
  item_id       uuid not null references collections.items on delete cascade,
  primary key (root_id, external_key)
);
create index item_keys_by_item -- in which trees does the key of this item count?
  on collections.item_keys (item_id);

-- What a POST with an Idempotency-Key was answered. A row appears with the change it answers for; that a first call is
-- still running shows in its advisory lock, which ends with it, whatever happens.
create table collections.idempotency_keys (
  user_id       uuid not null,
  route         text not null,
  key           text not null check (char_length(key) between 1 and 128),
  request_hash  bytea not null,
  status        smallint not null,
  headers       jsonb not null,
  body          text,
  created_at    timestamptz(3) not null default clock_timestamp(),
  primary key (user_id, route, key)
);
create index idempotency_keys_by_age -- which answers are older than a day?
  on collections.idempotency_keys (created_at);

create index sessions_by_user -- which sign-ins go with this person?
  on collections.sessions (user_id);
