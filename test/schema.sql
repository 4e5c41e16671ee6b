-- What all migrations produce. Written by test/schema.test.ts --write; edit the migrations, not this file.

create type collections.role as enum ('viewer', 'editor', 'admin');

CREATE OR REPLACE FUNCTION collections.change_id()
 RETURNS uuid
 LANGUAGE sql
AS $function$
  select (lpad(to_hex(now.us / 1000), 12, '0') || '7' || lpad(to_hex(now.us % 1000 * 4), 3, '0')
          || right(gen_random_uuid()::text, 17))::uuid
    from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as us) as now $function$;
CREATE OR REPLACE FUNCTION collections.collections_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into collections.collection_changes (tenant_id, collection_id, kind)
  select later.tenant_id, later.id, 'updated' from later join earlier using (id) where later.version <> earlier.version;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION collections.fill_keys(after text, most integer, OUT last text, OUT changed bigint)
 RETURNS record
 LANGUAGE sql
AS $function$
  with batch as (
    select root_id, external_key from collections.item_keys
     where (root_id, external_key) > (coalesce(left(after, 36), '00000000-0000-0000-0000-000000000000')::uuid,
                                       coalesce(substr(after, 38), ''))
     order by root_id, external_key limit most for no key update),
  filled as (
    update collections.item_keys as one set tenant_id = node.tenant_id
      from batch join collections.collections as node on node.id = batch.root_id
     where one.root_id = batch.root_id and one.external_key = batch.external_key and one.tenant_id is null
    returning one.root_id)
  select (select root_id || '|' || external_key from batch order by root_id desc, external_key desc limit 1),
         (select count(*) from filled) $function$;
CREATE OR REPLACE FUNCTION collections.fill_lines(after text, most integer, OUT last text, OUT changed bigint)
 RETURNS record
 LANGUAGE sql
AS $function$
  with batch as (
    select descendant_id, ancestor_id from collections.collection_ancestors
     where (descendant_id, ancestor_id) > (coalesce(left(after, 36), '00000000-0000-0000-0000-000000000000')::uuid,
                                           coalesce(substr(after, 38), '00000000-0000-0000-0000-000000000000')::uuid)
     order by descendant_id, ancestor_id limit most for no key update),
  filled as (
    update collections.collection_ancestors as one set tenant_id = node.tenant_id
      from batch join collections.collections as node on node.id = batch.descendant_id
     where one.descendant_id = batch.descendant_id and one.ancestor_id = batch.ancestor_id and one.tenant_id is null
    returning one.descendant_id)
  select (select descendant_id || '|' || ancestor_id from batch order by descendant_id desc, ancestor_id desc limit 1),
         (select count(*) from filled) $function$;
CREATE OR REPLACE FUNCTION collections.fill_links(after text, most integer, OUT last text, OUT changed bigint)
 RETURNS record
 LANGUAGE sql
AS $function$
  with batch as (
    select collection_id, item_id from collections.collection_items
     where (collection_id, item_id) > (coalesce(left(after, 36), '00000000-0000-0000-0000-000000000000')::uuid,
                                       coalesce(substr(after, 38), '00000000-0000-0000-0000-000000000000')::uuid)
     order by collection_id, item_id limit most for no key update),
  filled as (
    update collections.collection_items as one set tenant_id = node.tenant_id
      from batch join collections.collections as node on node.id = batch.collection_id
     where one.collection_id = batch.collection_id and one.item_id = batch.item_id and one.tenant_id is null
    returning one.collection_id)
  select (select collection_id || '|' || item_id from batch order by collection_id desc, item_id desc limit 1),
         (select count(*) from filled) $function$;
CREATE OR REPLACE FUNCTION collections.fill_members(after text, most integer, OUT last text, OUT changed bigint)
 RETURNS record
 LANGUAGE sql
AS $function$
  with batch as (
    select collection_id, user_id from collections.members
     where (collection_id, user_id) > (coalesce(left(after, 36), '00000000-0000-0000-0000-000000000000')::uuid,
                                       coalesce(substr(after, 38), '00000000-0000-0000-0000-000000000000')::uuid)
     order by collection_id, user_id limit most for no key update),
  filled as (
    update collections.members as one set tenant_id = node.tenant_id
      from batch join collections.collections as node on node.id = batch.collection_id
     where one.collection_id = batch.collection_id and one.user_id = batch.user_id and one.tenant_id is null
    returning one.collection_id)
  select (select collection_id || '|' || user_id from batch order by collection_id desc, user_id desc limit 1),
         (select count(*) from filled) $function$;
CREATE OR REPLACE FUNCTION collections.folded(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN (octet_length(value) = char_length(value)) THEN lower((value COLLATE "C")) ELSE foundation.fold(value) END;
CREATE OR REPLACE FUNCTION collections.lines_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into collections.collection_changes (tenant_id, collection_id, kind)
  select tenant_id, descendant_id, case when bool_or(ancestor_id = descendant_id) then 'created' end
    from added group by tenant_id, descendant_id;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION collections.lines_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into collections.collection_changes (tenant_id, collection_id, lost_by)
  select tenant_id, descendant_id, array_agg(ancestor_id) from removed where counts group by tenant_id, descendant_id;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION collections.members_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into collections.collection_changes (tenant_id, collection_id, user_id, kind)
  select tenant_id, collection_id, user_id, 'member_added' from added;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION collections.members_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into collections.collection_changes (tenant_id, collection_id, user_id, kind)
  select later.tenant_id, later.collection_id, later.user_id, 'member_changed'
    from later join earlier using (tenant_id, collection_id, user_id) where later.role <> earlier.role;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION collections.members_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into collections.collection_changes (tenant_id, collection_id, user_id, kind)
  select removed.tenant_id, coalesce(line.descendant_id, removed.collection_id), removed.user_id,
         case when coalesce(line.descendant_id, removed.collection_id) = removed.collection_id then 'member_removed' end
    from removed
    left join collections.collection_ancestors as line
      on line.tenant_id = removed.tenant_id and line.ancestor_id = removed.collection_id and line.counts;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION collections.metadata_text(metadata jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare texts text := jsonb_path_query_array(metadata, 'lax $.*[*] ? (@.type() == "string")');
begin
  if strpos(texts, E'\\') = 0 then return texts; end if;
  return (select string_agg(value #>> '{}', ' ')
            from jsonb_path_query(metadata, 'lax $.*[*] ? (@.type() == "string")') as value);
end $function$;
CREATE OR REPLACE FUNCTION collections.search_vector(name text, other text)
 RETURNS tsvector
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  named text := foundation.words(name);
  told text := foundation.words(other);
begin
  if named <> '' then named := replace(named, ' ', ':1A ') || ':1A '; end if;
  if told <> '' then told := replace(told, ' ', ':2 ') || ':2'; end if;
  return (named || told)::tsvector;
end $function$;
CREATE OR REPLACE FUNCTION collections.tenant_filled()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.tenant_id := (select node.tenant_id from collections.collections as node
                     where node.id = (to_jsonb(new) ->> tg_argv[0])::uuid);
  return new;
end $function$;
CREATE OR REPLACE FUNCTION foundation.backfill(most integer, only_step text DEFAULT NULL::text)
 RETURNS TABLE(step text, is_done boolean)
 LANGUAGE plpgsql
AS $function$
declare
  one foundation.backfills;
  last text;
  more bigint;
begin
  select * into one from foundation.backfills b
   where b.finished_at is null and (only_step is null or b.step = only_step)
   order by b.started_at, b.step limit 1 for update skip locked;
  if not found then return; end if;
  execute format('select last, changed from %s($1, $2)', one.step) into last, more using one.after, most;
  update foundation.backfills b
     set after = coalesce(last, b.after), changed = b.changed + more,
         finished_at = case when last is null then clock_timestamp() end
   where b.step = one.step;
  return query select one.step, last is null;
end $function$;
CREATE OR REPLACE FUNCTION foundation.fold(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
begin
  if octet_length(value) = char_length(value) then return lower(value collate "C"); end if;
  return normalize(regexp_replace(
    translate(lower(normalize(value, nfkd) collate "und-x-icu"),
      'ᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿ',
      'აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿ'),
    U&'[\0300-\036F\0483-\0487\0591-\05BD\05BF\05C1\05C2\05C4\05C5\0610-\061A\064B-\065F\1AB0-\1AFF\1DC0-\1DFF\20D0-\20FF\FE20-\FE2F]', '', 'g'), nfkc);
end $function$;
CREATE OR REPLACE FUNCTION foundation.iso(value timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
RETURN to_char((value AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);
CREATE OR REPLACE FUNCTION foundation.search_query(value text, is_each_unfinished boolean DEFAULT false)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (COALESCE((replace(NULLIF(foundation.words(value), ''::text), ' '::text, CASE WHEN is_each_unfinished THEN ':* & '::text ELSE ' & '::text END) || ':*'::text), ''::text))::tsquery;
CREATE OR REPLACE FUNCTION foundation.words(value text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION learning.attempt_status(status text, expires_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN ((status = 'open'::text) AND (expires_at < (statement_timestamp() - '00:01:00'::interval))) THEN 'expired'::text ELSE status END;
CREATE OR REPLACE FUNCTION learning.channels_made()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into learning.channel_tenants (channel_id, tenant_id) select id, tenant_id from made on conflict do nothing;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION learning.count_released(tenant text, channel uuid)
 RETURNS integer
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT (count(*))::integer AS count
    FROM learning.episodes e
   WHERE ((e.tenant_id = count_released.tenant) AND (e.channel_id = count_released.channel) AND (e.deleted_at IS NULL) AND learning.is_released(e.status, e.release_at));
END;
CREATE OR REPLACE FUNCTION learning.enrollments_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into learning.enrollment_counts (tenant_id, channel_id, learners)
  select tenant_id, channel_id, count(*) filter (where not as_admin and not learning.is_editor(tenant_id, user_id, channel_id))
    from added group by tenant_id, channel_id order by tenant_id, channel_id
  on conflict (tenant_id, channel_id) do update set learners = enrollment_counts.learners + excluded.learners;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION learning.fill_search(after text, most integer, OUT last text, OUT changed bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  one record;
begin
  changed := 0;
  for one in
    select c.tenant_id, c.id from learning.channels c
     where (c.tenant_id, c.id) > (coalesce(substr(after, 38), ''), coalesce(left(after, 36), '00000000-0000-0000-0000-000000000000')::uuid)
     order by c.tenant_id, c.id limit least(most, 20) for no key update
  loop
    perform learning.index_channel(one.tenant_id, one.id);
    perform learning.index_episode(e.tenant_id, e.id), learning.index_video(e.tenant_id, e.id)
       from learning.episodes e
       join learning.channels c on c.tenant_id = e.tenant_id and c.id = e.channel_id and c.deleted_at is null
      where e.tenant_id = one.tenant_id and e.channel_id = one.id and e.deleted_at is null;
    last := one.id || '|' || one.tenant_id;
    changed := changed + 1;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION learning.final_score(score numeric, max_score numeric, penalty_percent numeric)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((LEAST(score, max_score) * ((100)::numeric - penalty_percent)) / (100)::numeric);
CREATE OR REPLACE FUNCTION learning.index_channel(tenant text, channel uuid)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 DELETE FROM learning.search_entries s
   WHERE ((s.tenant_id = index_channel.tenant) AND (s.id = index_channel.channel) AND (s.place = '-1'::integer));
 INSERT INTO learning.search_entries (tenant_id, id, place, channel_id, text, size, words)  SELECT c.tenant_id,
             c.id,
             '-1'::integer,
             c.id,
             '',
             cardinality(string_to_array(foundation.words(c.title), ' '::text)) AS cardinality,
             learning.search_vector(c.tenant_id, c.id, c.title, concat_ws(' '::text, c.category, array_to_string(c.tags, ' '::text)), c.description) AS search_vector
            FROM learning.channels c
           WHERE ((c.tenant_id = index_channel.tenant) AND (c.id = index_channel.channel) AND (c.deleted_at IS NULL));
END;
CREATE OR REPLACE FUNCTION learning.index_episode(tenant text, episode uuid)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 DELETE FROM learning.search_entries s
   WHERE ((s.tenant_id = index_episode.tenant) AND (s.id = index_episode.episode) AND (s.place = 0));
 INSERT INTO learning.search_entries (tenant_id, id, place, channel_id, text, size, words)  SELECT e.tenant_id,
             e.id,
             0,
             e.channel_id,
             '',
             cardinality(string_to_array(foundation.words(e.title), ' '::text)) AS cardinality,
             learning.search_vector(e.tenant_id, e.channel_id, e.title, array_to_string(e.authors, ' '::text), e.description) AS search_vector
            FROM learning.episodes e
           WHERE ((e.tenant_id = index_episode.tenant) AND (e.id = index_episode.episode) AND (e.deleted_at IS NULL));
END;
CREATE OR REPLACE FUNCTION learning.index_video(tenant text, episode uuid)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 DELETE FROM learning.search_entries s
   WHERE ((s.tenant_id = index_video.tenant) AND (s.id = index_video.episode) AND (s.place > 0));
 INSERT INTO learning.search_entries (tenant_id, id, place, channel_id, seconds, text, size, words)  SELECT e.tenant_id,
             e.id,
             found.place,
             e.channel_id,
             found.seconds,
             found.text,
             cardinality(string_to_array(foundation.words(found.title), ' '::text)) AS cardinality,
             learning.search_vector(e.tenant_id, e.channel_id, found.title, ''::text, found.spoken) AS search_vector
            FROM ((learning.episodes e
              JOIN learning.videos v ON (((v.tenant_id = e.tenant_id) AND (v.episode_id = e.id))))
              CROSS JOIN LATERAL ( SELECT (every.n)::integer AS place,
                     ((every.chapter ->> 'start_seconds'::text))::numeric AS seconds,
                     (every.chapter ->> 'title'::text) AS text,
                     (every.chapter ->> 'title'::text) AS title,
                     ''::text AS spoken
                    FROM jsonb_array_elements(v.chapters) WITH ORDINALITY every(chapter, n)
                 UNION ALL
                  SELECT (1001 + pieces_of.piece),
                     pieces_of.seconds,
                     pieces_of.text,
                     ''::text,
                     pieces_of.text
                    FROM learning.pieces_of(v.transcript) pieces_of(piece, seconds, text)) found)
           WHERE ((e.tenant_id = index_video.tenant) AND (e.id = index_video.episode) AND (e.deleted_at IS NULL));
END;
CREATE OR REPLACE FUNCTION learning.is_editor(tenant text, person text, channel uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (EXISTS (SELECT FROM learning.channel_editors WHERE ((channel_editors.tenant_id = is_editor.tenant) AND (channel_editors.user_id = is_editor.person) AND (channel_editors.channel_id = is_editor.channel))));
CREATE OR REPLACE FUNCTION learning.is_enrolled(tenant text, person text, channel uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM learning.enrollments e
           WHERE ((e.tenant_id = is_enrolled.tenant) AND (e.user_id = is_enrolled.person) AND (e.channel_id = is_enrolled.channel)))) AS "exists";
END;
CREATE OR REPLACE FUNCTION learning.is_released(status text, release_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ((status = 'published'::text) AND ((release_at IS NULL) OR (release_at <= statement_timestamp())));
CREATE OR REPLACE FUNCTION learning.late_penalty(late_policy text, seconds_late bigint, per_day numeric, max_percent numeric)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((late_policy = 'penalize'::text) AND (seconds_late > 0)) THEN LEAST(max_percent, (per_day * ceil(((seconds_late)::numeric / 86400.0)))) ELSE (0)::numeric END;
CREATE OR REPLACE FUNCTION learning.pieces_of(transcript text)
 RETURNS TABLE(piece integer, seconds numeric, text text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH lines AS (
          SELECT every.n,
             every.line,
             regexp_match(every.line, '^\s*[[(]?(?:(\d{1,2}):)?(\d{1,3}):(\d\d)(?:[.,]\d{1,3})?[])]?(?=[\s-]|$)'::text) AS clock
            FROM regexp_split_to_table(pieces_of.transcript, '\r\n|\r|\n'::text) WITH ORDINALITY every(line, n)
         ), timed AS (
          SELECT lines.n,
             lines.line,
             lines.clock,
             (((COALESCE((lines.clock[1])::integer, 0) * 3600) + ((lines.clock[2])::integer * 60)) + (lines.clock[3])::integer) AS seconds,
             count(lines.clock) OVER (ORDER BY lines.n) AS cue
            FROM lines
           WHERE (lines.line !~ '^\s*(WEBVTT.*|\d+)\s*$'::text)
         ), spoken AS (
          SELECT timed.n,
             first_value(timed.seconds) OVER (PARTITION BY timed.cue ORDER BY timed.n) AS seconds,
                 CASE
                     WHEN (timed.clock IS NULL) THEN timed.line
                     WHEN (timed.line ~ '-->'::text) THEN ''::text
                     ELSE regexp_replace(timed.line, '^\s*[[(]?[\d:.,]+[])]?'::text, ''::text)
                 END AS line
            FROM timed
         ), words AS (
          SELECT ((row_number() OVER (ORDER BY spoken.n, every.place) - 1))::integer AS place,
             spoken.seconds,
             every.found[1] AS word
            FROM spoken,
             LATERAL regexp_matches(spoken.line, '\S{1,60}'::text, 'g'::text) WITH ORDINALITY every(found, place)
         ), pieces AS (
          SELECT (words.place / 30) AS piece,
             (array_agg(words.seconds ORDER BY words.place))[1] AS seconds,
             string_agg(words.word, ' '::text ORDER BY words.place) AS text,
             string_agg(words.word, ' '::text ORDER BY words.place) FILTER (WHERE ((words.place % 30) < 10)) AS head
            FROM words
           GROUP BY (words.place / 30)
         )
  SELECT pieces.piece,
     pieces.seconds,
     (pieces.text || COALESCE((' '::text || lead(pieces.head) OVER (ORDER BY pieces.piece)), ''::text))
    FROM pieces;
END;
CREATE OR REPLACE FUNCTION learning.progress_in(tenant text, person text, channel uuid)
 RETURNS TABLE(percent numeric, completed integer, total integer, next_episode_id uuid)
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (count(*) = 0) THEN (0)::numeric
             WHEN (count(w.completed_at) = count(*)) THEN (100)::numeric
             ELSE LEAST(99.99, round(((100)::numeric * avg(
             CASE
                 WHEN (w.completed_at IS NOT NULL) THEN (1)::numeric
                 ELSE COALESCE(w.progress, (0)::numeric)
             END)), 2))
         END AS "least",
     (count(w.completed_at))::integer AS count,
     (count(*))::integer AS count,
     (array_agg(e.id ORDER BY e."position", e.id) FILTER (WHERE (w.completed_at IS NULL)))[1] AS array_agg
    FROM (learning.episodes e
      LEFT JOIN learning.progress w ON (((w.tenant_id = progress_in.tenant) AND (w.user_id = progress_in.person) AND (w.episode_id = e.id))))
   WHERE ((e.tenant_id = progress_in.tenant) AND (e.channel_id = progress_in.channel) AND (e.deleted_at IS NULL) AND learning.is_released(e.status, e.release_at));
END;
CREATE OR REPLACE FUNCTION learning.rests(word text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN (((char_length(word) >= 4) AND (char_length(word) <= 24)) AND (word !~ '^\d+$'::text)) THEN ARRAY(SELECT DISTINCT ("left"(rests.word, (n.n - 1)) || substr(rests.word, (n.n + 1))) FROM generate_series(1, char_length(rests.word)) n(n)) ELSE NULL::text[] END;
CREATE OR REPLACE FUNCTION learning.search_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  case tg_argv[0]
    when 'channel' then perform learning.index_channel(new.tenant_id, new.id);
    when 'episode' then perform learning.index_episode(new.tenant_id, new.id);
    when 'moved' then
      perform learning.index_episode(new.tenant_id, new.id);
      perform learning.index_video(new.tenant_id, new.id);
    when 'video' then perform learning.index_video(new.tenant_id, new.episode_id);
    when 'gone' then delete from learning.search_entries s where s.tenant_id = old.tenant_id and s.channel_id = old.id
                        and s.id in (select old.id union all select e.id from learning.episodes e
                                      where e.tenant_id = old.tenant_id and e.channel_id = old.id);
    when 'lost' then delete from learning.search_entries s where s.tenant_id = old.tenant_id and s.id = old.id and s.place >= 0;
  end case;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION learning.search_query(tenant text, channel uuid, asked text, way text)
 RETURNS tsquery
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  typed text[] := string_to_array(foundation.words(asked), ' ');
  word text;
  part text;
  parts text[] := '{}';
begin
  if cardinality(typed) = 0 then return null; end if;
  if way in ('any', 'name', 'near') then
    select array_agg('''' || replace(replace(mark, '\', '\\'), '''', '''''') || '''') into parts
      from unnest(array['@' || tenant, '#' || channel]) as mark where mark is not null;
  end if;
  for n in 1 .. cardinality(typed) loop
    word := typed[n];
    part := case when n = cardinality(typed) and octet_length(word) > 2 then ':*' else '' end;
    part := case way
      when 'name' then '''=' || word || '''' || part
      when 'title' then word || case part when '' then ':A' else ':*A' end
      when 'near' then (
        select '(' || string_agg(one, ' | ') || ')'
          from (select word || part as one union all select '''~' || word || ''''
                union all select unnest(array['''=' || rest || '''', '''~' || rest || '''']) from unnest(learning.rests(word)) as rest) as every)
      else word || part end;
    parts := parts || part;
  end loop;
  return array_to_string(parts, ' & ')::tsquery;
end $function$;
CREATE OR REPLACE FUNCTION learning.search_vector(tenant text, channel uuid, title text, names text, body text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 WITH placed AS MATERIALIZED (
          SELECT every.word,
             every.weight,
             row_number() OVER (ORDER BY every.weight, every.n) AS n
            FROM ( SELECT a.word,
                     a.n,
                     'A'::text AS weight
                    FROM unnest(string_to_array(foundation.words(search_vector.title), ' '::text)) WITH ORDINALITY a(word, n)
                 UNION ALL
                  SELECT b.word,
                     b.n,
                     'B'::text
                    FROM unnest(string_to_array(foundation.words(search_vector.names), ' '::text)) WITH ORDINALITY b(word, n)
                 UNION ALL
                  SELECT d.word,
                     d.n,
                     'D'::text
                    FROM unnest(string_to_array(foundation.words(search_vector.body), ' '::text)) WITH ORDINALITY d(word, n)) every
         ), named AS (
          SELECT DISTINCT placed.word
            FROM placed
           WHERE (placed.weight <> 'D'::text)
         )
  SELECT ((COALESCE(( SELECT string_agg((((placed.word || ':'::text) || LEAST(placed.n, (16383)::bigint)) || placed.weight), ' '::text) AS string_agg
            FROM placed), ''::text))::tsvector || array_to_tsvector(((ARRAY[('@'::text || tenant), ('#'::text || channel)] || ARRAY( SELECT ('='::text || named.word)
            FROM named)) || ARRAY( SELECT DISTINCT ('~'::text || rest.rest)
            FROM named,
             LATERAL unnest(learning.rests(named.word)) rest(rest)))));
END;
CREATE OR REPLACE FUNCTION learning.seconds_late(submitted_at timestamp with time zone, due_then timestamp with time zone, due_now timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((due_then IS NULL) OR (due_now IS NULL)) THEN (0)::bigint ELSE (GREATEST((0)::numeric, ceil(EXTRACT(epoch FROM (submitted_at - GREATEST(due_then, due_now))))))::bigint END;
CREATE OR REPLACE FUNCTION learning.sum_released(tenant text, channel uuid)
 RETURNS numeric
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT COALESCE(sum(v.duration_seconds), (0)::numeric) AS "coalesce"
    FROM (learning.episodes e
      JOIN learning.videos v ON (((v.tenant_id = e.tenant_id) AND (v.episode_id = e.id))))
   WHERE ((e.tenant_id = sum_released.tenant) AND (e.channel_id = sum_released.channel) AND (e.deleted_at IS NULL) AND learning.is_released(e.status, e.release_at));
END;
CREATE OR REPLACE FUNCTION learning.target_stamp(tenant text, kind text, target uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
begin
  case kind
    when 'channel' then
      return (select md5(row(c.title, c.description, c.language, c.category, c.level, c.tags, c.thumbnail_url, c.status,
                             c.enrollment, c.visibility, c.sequential, c.completion_threshold, c.passing_percent)::text)
                from learning.channels c where c.tenant_id = tenant and c.id = target and c.deleted_at is null);
    when 'episode' then
      return (select md5(row(e.title, e.description, e.status, e.release_at, e.thumbnail_url, e.season, e.authors, e.language,
                             e.recorded_on, e.published_tests, e.published_homework)::text)
                from learning.episodes e where e.tenant_id = tenant and e.id = target and e.deleted_at is null);
    when 'video' then
      return (select v.updated_at::text from learning.videos v
                join learning.episodes e on e.tenant_id = v.tenant_id and e.id = v.episode_id and e.deleted_at is null
               where v.tenant_id = tenant and v.episode_id = target);
    when 'homework' then
      return (select h.updated_at::text from learning.homework h
                join learning.episodes e on e.tenant_id = h.tenant_id and e.id = h.episode_id and e.deleted_at is null
               where h.tenant_id = tenant and h.id = target and h.deleted_at is null);
    when 'test' then
      return (select t.updated_at || ' ' || t.key_version from learning.tests t
                join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id and e.deleted_at is null
               where t.tenant_id = tenant and t.id = target and t.deleted_at is null);
    when 'question' then
      return (select q.version::text from learning.questions q
                join learning.tests t on t.tenant_id = q.tenant_id and t.id = q.test_id and t.deleted_at is null
                join learning.episodes e on e.tenant_id = t.tenant_id and e.id = t.episode_id and e.deleted_at is null
               where q.tenant_id = tenant and q.id = target and q.deleted_at is null);
  end case;
end $function$;
CREATE OR REPLACE FUNCTION learning.uncompleted_before(tenant text, person text, channel uuid, place integer, episode uuid)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (w.completed_at IS NULL) THEN previous.title
             ELSE NULL::text
         END AS "case"
    FROM (( SELECT e.id,
             e.title
            FROM learning.episodes e
           WHERE ((e.tenant_id = uncompleted_before.tenant) AND (e.channel_id = uncompleted_before.channel) AND (e.deleted_at IS NULL) AND learning.is_released(e.status, e.release_at) AND (ROW(e."position", e.id) < ROW(uncompleted_before.place, uncompleted_before.episode)))
           ORDER BY e."position" DESC, e.id DESC
          LIMIT 1) previous
      LEFT JOIN learning.progress w ON (((w.tenant_id = uncompleted_before.tenant) AND (w.user_id = uncompleted_before.person) AND (w.episode_id = previous.id))));
END;
CREATE OR REPLACE FUNCTION sso.count_audit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into sso.audit_counts (environment, site_id, action, slot, lines)
  select environment, coalesce(site_id, '00000000-0000-0000-0000-000000000000'), action, pg_backend_pid() % 16,
         count(*) * case tg_op when 'INSERT' then 1 else -1 end
    from changed group by 1, 2, 3 order by 2, 1, 3
      on conflict (site_id, environment, action, slot) do update set lines = audit_counts.lines + excluded.lines;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION sso.count_members()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into sso.member_counts (site_id, environment, slot, members)
  select site_id, environment, pg_backend_pid() % 16, count(*) * case tg_op when 'INSERT' then 1 else -1 end
    from changed group by site_id, environment order by site_id, environment
      on conflict (site_id, environment, slot) do update set members = member_counts.members + excluded.members;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION sso.member_joins()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select environment, created_at into new.environment, new.user_created_at from sso.users where user_id = new.user_id;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION sso.session_version_rose()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into sso.session_bumps (user_id, session_version) values (new.user_id, new.session_version)
  on conflict (xid, user_id) do update set session_version = excluded.session_version;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION sso.turn_audit_months(as_of timestamp with time zone, kept_days integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
 SET lock_timeout TO '300ms'
AS $function$
declare
  border timestamptz := as_of - make_interval(days => greatest(kept_days, (select max(retention_days) from sso.sites)));
  month record;
  newest timestamptz;
  lines bigint;
  gone bigint := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('sso.audit_months', 0)) then return 0; end if;

  -- The last part gets an end before its month begins. It has lines by then only if nobody turned in time; they stay
  -- where they are, and it ends with the month of the newest.
  loop
    select name, begins into strict month from sso.audit_months where ends is null;
    exit when month.begins >= date_trunc('month', as_of) + interval '2 months';
    execute format('alter table sso.audit_log detach partition sso.%I', month.name);
    execute format('select max(occurred_at) from sso.%I', month.name) into newest;
    newest := date_trunc('month', greatest(month.begins, newest)) + interval '1 month';
    execute format('alter table sso.audit_log attach partition sso.%I for values from (%L) to (%L)',
                   month.name, month.begins, newest);
    execute format('create table sso.%I partition of sso.audit_log for values from (%L) to (maxvalue)',
                   to_char(newest, '"audit_log_"YYYY_MM'), newest);
  end loop;

  select max(ends) into border from sso.audit_months where begins is not null and ends <= border;
  if border is null then return 0; end if;
  for month in select name from sso.audit_months where ends <= border loop
    -- Meanwhile only those wait who write to these old lines. No trigger counts in slot 16, so nobody waits for that.
    execute format('lock table sso.%I in share row exclusive mode', month.name);
    execute format($count$
      with old as (select environment, site_id, action, count(*) as lines from sso.%I group by 1, 2, 3),
           counted as (
             insert into sso.audit_counts (environment, site_id, action, slot, lines)
             select environment, coalesce(site_id, '00000000-0000-0000-0000-000000000000'), action, 16, -lines from old
                 on conflict (site_id, environment, action, slot) do update set lines = audit_counts.lines + excluded.lines)
      select coalesce(sum(lines), 0) from old $count$, month.name) into lines;
    gone := gone + lines;
  end loop;
  for month in select name from sso.audit_months where ends <= border loop
    execute format('drop table sso.%I', month.name);
  end loop;
  execute format('create table sso.audit_log_earlier partition of sso.audit_log for values from (minvalue) to (%L)', border);
  return gone;
end $function$;

create table collections.collection_ancestors (
  ancestor_id uuid not null,
  descendant_id uuid not null,
  distance smallint not null,
  counts boolean not null,
  tenant_id uuid,
  constraint collection_ancestors_pkey PRIMARY KEY (descendant_id, ancestor_id) INCLUDE (distance),
  constraint collection_ancestors_ancestor_id_fkey FOREIGN KEY (ancestor_id) REFERENCES collections.collections(id) ON DELETE CASCADE,
  constraint collection_ancestors_descendant_id_fkey FOREIGN KEY (descendant_id) REFERENCES collections.collections(id) ON DELETE CASCADE,
  constraint collection_ancestors_distance_check CHECK (((distance >= 0) AND (distance <= 9))),
  constraint collection_ancestors_have_tenant CHECK ((tenant_id IS NOT NULL))
);
create table collections.collection_changes (
  tenant_id uuid not null,
  change_id uuid not null default collections.change_id(),
  collection_id uuid not null,
  lost_by uuid[],
  user_id uuid,
  changed_at timestamp(3) with time zone not null default clock_timestamp(),
  xid xid8 not null default pg_current_xact_id(),
  kind text,
  constraint collection_changes_pkey PRIMARY KEY (tenant_id, xid, change_id),
  constraint collection_changes_kind CHECK ((kind = ANY (ARRAY['created'::text, 'updated'::text, 'member_added'::text, 'member_changed'::text, 'member_removed'::text]))) NOT VALID
);
create table collections.collection_items (
  collection_id uuid not null,
  item_id uuid not null,
  added_at timestamp(3) with time zone not null default clock_timestamp(),
  added_by uuid,
  tenant_id uuid,
  constraint collection_items_pkey PRIMARY KEY (collection_id, item_id),
  constraint collection_items_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections.collections(id) ON DELETE CASCADE,
  constraint collection_items_item_id_fkey FOREIGN KEY (item_id) REFERENCES collections.items(id),
  constraint collection_items_have_tenant CHECK ((tenant_id IS NOT NULL))
);
create table collections.collections (
  id uuid not null,
  tenant_id uuid not null,
  parent_id uuid,
  root_id uuid not null,
  depth smallint not null,
  inherit_members boolean not null default true,
  inherit_reach smallint not null,
  name text not null,
  description text,
  type text not null default 'general'::text,
  external_key text,
  metadata jsonb not null default '{}'::jsonb,
  created_by uuid,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  item_count integer not null default 0,
  name_folded text not null generated always as (collections.folded(name)),
  search tsvector not null generated always as (collections.search_vector(name, ((COALESCE(description, ''::text) || ' '::text) || COALESCE(external_key, ''::text)))),
  constraint collections_pkey PRIMARY KEY (id),
  constraint collections_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES collections.collections(id),
  constraint collections_root_id_fkey FOREIGN KEY (root_id) REFERENCES collections.collections(id),
  constraint collections_check CHECK (((inherit_reach >= 0) AND (inherit_reach <= depth))),
  constraint collections_cut_reaches_nothing CHECK ((inherit_members OR (inherit_reach = 0))),
  constraint collections_depth_check CHECK (((depth >= 0) AND (depth <= 9))),
  constraint collections_description_check CHECK ((char_length(description) <= 5000)),
  constraint collections_external_key_check CHECK (((char_length(external_key) >= 1) AND (char_length(external_key) <= 128))),
  constraint collections_item_count_check CHECK ((item_count >= 0)),
  constraint collections_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint collections_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  constraint collections_root_has_no_parent CHECK (((parent_id IS NULL) = (depth = 0)))
);
create table collections.event_cursors (
  tenant_id uuid not null,
  xid xid8 not null,
  change_id uuid not null,
  constraint event_cursors_pkey PRIMARY KEY (tenant_id)
);
create table collections.idempotency_keys (
  user_id uuid not null,
  route text not null,
  key text not null,
  request_hash bytea not null,
  status smallint not null,
  headers jsonb not null,
  body text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint idempotency_keys_pkey PRIMARY KEY (user_id, route, key),
  constraint idempotency_keys_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 128)))
);
create table collections.item_changes (
  tenant_id uuid not null,
  item_id uuid not null,
  change_id uuid not null default collections.change_id(),
  kind text not null,
  version integer,
  collection_ids uuid[],
  before jsonb,
  after jsonb,
  changed_by uuid,
  changed_at timestamp(3) with time zone not null default clock_timestamp(),
  xid xid8 not null default pg_current_xact_id(),
  constraint item_changes_pkey PRIMARY KEY (tenant_id, item_id, change_id),
  constraint item_changes_kind_check CHECK ((kind = ANY (ARRAY['created'::text, 'updated'::text, 'added'::text, 'removed'::text, 'deleted'::text])))
);
create table collections.item_keys (
  root_id uuid not null,
  external_key text not null,
  item_id uuid not null,
  tenant_id uuid,
  constraint item_keys_pkey PRIMARY KEY (root_id, external_key),
  constraint item_keys_item_id_fkey FOREIGN KEY (item_id) REFERENCES collections.items(id) ON DELETE CASCADE,
  constraint item_keys_root_id_fkey FOREIGN KEY (root_id) REFERENCES collections.collections(id) ON DELETE CASCADE,
  constraint item_keys_have_tenant CHECK ((tenant_id IS NOT NULL))
);
create table collections.items (
  id uuid not null,
  tenant_id uuid not null,
  name text not null,
  description text,
  external_key text,
  metadata jsonb not null default '{}'::jsonb,
  created_by uuid,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  name_folded text not null generated always as (collections.folded(name)),
  search tsvector not null generated always as (collections.search_vector(name, ((((COALESCE(description, ''::text) || ' '::text) || COALESCE(external_key, ''::text)) || ' '::text) || collections.metadata_text(metadata)))),
  constraint items_pkey PRIMARY KEY (id),
  constraint items_description_check CHECK ((char_length(description) <= 5000)),
  constraint items_external_key_check CHECK (((char_length(external_key) >= 1) AND (char_length(external_key) <= 128))),
  constraint items_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  constraint items_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 300)))
);
create table collections.job_chunks (
  job_id uuid not null,
  seq bigint not null,
  sheet smallint not null,
  rows integer[] not null,
  targets uuid[] not null,
  constraint job_chunks_pkey PRIMARY KEY (job_id, seq),
  constraint job_chunks_job_id_fkey FOREIGN KEY (job_id) REFERENCES collections.jobs(job_id) ON DELETE CASCADE
);
create sequence collections.job_chunks_seq_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
);
create table collections.job_errors (
  job_id uuid not null,
  level text not null,
  seq bigint not null,
  origin text not null,
  sheet text not null,
  "row" integer,
  "column" text,
  header text,
  code text not null,
  message text not null,
  value text,
  cells text,
  constraint job_errors_pkey PRIMARY KEY (job_id, level, seq),
  constraint job_errors_job_id_fkey FOREIGN KEY (job_id) REFERENCES collections.jobs(job_id) ON DELETE CASCADE,
  constraint job_errors_level_check CHECK ((level = ANY (ARRAY['error'::text, 'warning'::text]))),
  constraint job_errors_origin_check CHECK ((origin = ANY (ARRAY['reading'::text, 'applying'::text])))
);
create sequence collections.job_errors_seq_seq (
  last_value bigint not null,
  log_cnt bigint not null,
  is_called boolean not null
);
create table collections.job_files (
  job_id uuid not null,
  place integer not null,
  content bytea not null,
  constraint job_files_pkey PRIMARY KEY (job_id, place),
  constraint job_files_job_id_fkey FOREIGN KEY (job_id) REFERENCES collections.jobs(job_id) ON DELETE CASCADE
);
create table collections.jobs (
  job_id uuid not null,
  tenant_id uuid not null,
  user_id uuid not null,
  state text not null default 'queued'::text,
  phase text not null default 'reading'::text,
  options jsonb not null,
  file_name text not null,
  file_size integer not null,
  file_sha256 text not null,
  rows_read integer not null default 0,
  rows_total integer,
  rows_done integer not null default 0,
  read_counts jsonb not null default '{}'::jsonb,
  counts jsonb not null default '{}'::jsonb,
  error_code text,
  error_detail text,
  is_due boolean not null default false,
  starts smallint not null default 0,
  lease_token uuid,
  staged_rows integer,
  layout jsonb,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  is_site_admin boolean not null default false,
  cancel_requested_at timestamp(3) with time zone,
  collection_ids uuid[] not null default '{}'::uuid[],
  constraint jobs_pkey PRIMARY KEY (job_id),
  constraint jobs_phase_check CHECK ((phase = ANY (ARRAY['reading'::text, 'validating'::text, 'collections'::text, 'items'::text, 'done'::text]))),
  constraint jobs_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'validating'::text, 'processing'::text, 'completed'::text, 'completed_with_errors'::text, 'failed'::text, 'cancelled'::text])))
);
create table collections.members (
  collection_id uuid not null,
  user_id uuid not null,
  role collections.role not null,
  invited_by uuid,
  joined_at timestamp(3) with time zone not null default clock_timestamp(),
  tenant_id uuid,
  constraint members_pkey PRIMARY KEY (collection_id, user_id),
  constraint members_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections.collections(id) ON DELETE CASCADE,
  constraint members_have_tenant CHECK ((tenant_id IS NOT NULL))
);
create table collections.sessions (
  token_hash bytea not null,
  user_id uuid not null,
  tenant_id uuid not null,
  sso_session_id uuid not null,
  session_version integer not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null default (clock_timestamp() + '12:00:00'::interval),
  constraint sessions_pkey PRIMARY KEY (token_hash)
);
create table collections.staged_places (
  job_id uuid not null,
  level smallint not null,
  "row" integer not null,
  parent_row integer,
  constraint staged_places_pkey PRIMARY KEY (job_id, level, "row")
);
create table collections.staged_rows (
  job_id uuid not null,
  sheet smallint not null,
  "row" integer not null,
  data text,
  cells text not null,
  constraint staged_rows_pkey PRIMARY KEY (job_id, sheet, "row")
);
create table collections.views (
  tenant_id uuid not null,
  id uuid not null,
  collection_id uuid not null,
  name text not null,
  query text not null,
  created_by uuid,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint views_pkey PRIMARY KEY (tenant_id, id),
  constraint views_tenant_id_collection_id_name_key UNIQUE (tenant_id, collection_id, name),
  constraint views_tenant_id_collection_id_fkey FOREIGN KEY (tenant_id, collection_id) REFERENCES collections.collections(tenant_id, id) ON DELETE CASCADE,
  constraint views_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80))),
  constraint views_query_check CHECK ((char_length(query) <= 2000))
);
create table foundation.backfills (
  step text not null,
  expected bigint not null,
  after text,
  changed bigint not null default 0,
  started_at timestamp(3) with time zone not null default clock_timestamp(),
  finished_at timestamp(3) with time zone,
  constraint backfills_pkey PRIMARY KEY (step)
);
create table foundation.backups (
  created_at timestamp(3) with time zone not null,
  constraint backups_pkey PRIMARY KEY (created_at)
);
create table foundation.jobs (
  job_id uuid not null,
  kind text not null,
  priority smallint not null default 1,
  payload jsonb not null default '{}'::jsonb,
  state text not null default 'pending'::text,
  delays integer[] not null default '{}'::integer[],
  is_endless boolean not null default false,
  lease_seconds integer not null default 10,
  attempts integer not null default 0,
  claims integer not null default 0,
  next_delay integer generated always as (delays[
CASE
    WHEN is_endless THEN LEAST((attempts + 1), cardinality(delays))
    ELSE (attempts + 1)
END]),
  run_at timestamp(3) with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  lease_token uuid,
  lease_until timestamp(3) with time zone,
  last_error text,
  created_at timestamp(3) with time zone not null default date_trunc('milliseconds'::text, clock_timestamp()),
  finished_at timestamp(3) with time zone,
  trace text,
  constraint jobs_pkey PRIMARY KEY (job_id),
  constraint jobs_check CHECK (((lease_token IS NULL) = (lease_until IS NULL))),
  constraint jobs_check1 CHECK (((NOT is_endless) OR (cardinality(delays) > 0))),
  constraint jobs_lease_seconds_check CHECK ((lease_seconds > 0)),
  constraint jobs_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'done'::text, 'failed'::text, 'held'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
create table foundation.migrations (
  source text not null,
  number integer not null,
  name text not null,
  sha256 text not null,
  applied_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint migrations_pkey PRIMARY KEY (source, number)
);
create table learning.activity_days (
  tenant_id text not null,
  user_id text not null,
  day date not null,
  channel_id uuid not null,
  watched_ms bigint not null,
  constraint activity_days_pkey PRIMARY KEY (tenant_id, user_id, day, channel_id),
  constraint activity_days_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE
) with (fillfactor=70);
create table learning.agent_runs (
  tenant_id text not null,
  agent_type text not null,
  run_id uuid not null,
  started_at timestamp(3) with time zone not null default clock_timestamp(),
  finished_at timestamp(3) with time zone,
  last_run_at timestamp(3) with time zone,
  next_before timestamp(3) with time zone,
  next_id uuid,
  constraint agent_runs_pkey PRIMARY KEY (tenant_id, agent_type),
  constraint agent_runs_agent_type_check CHECK ((agent_type = ANY (ARRAY['content'::text, 'engagement'::text])))
);
create table learning.attempts (
  tenant_id text not null,
  id uuid not null,
  test_id uuid not null,
  user_id text not null,
  number integer not null,
  status text not null,
  is_preview boolean not null,
  client_id text,
  opened_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone,
  submitted_at timestamp(3) with time zone,
  key_version integer not null,
  graded_version integer not null,
  answers jsonb not null default '{}'::jsonb,
  results jsonb not null default '[]'::jsonb,
  score numeric not null default 0,
  max_score numeric not null,
  score_before_regrade numeric,
  regraded_at timestamp(3) with time zone,
  draft jsonb,
  constraint attempts_pkey PRIMARY KEY (tenant_id, id),
  constraint attempts_by_number UNIQUE (tenant_id, test_id, user_id, number),
  constraint attempts_tenant_id_test_id_fkey FOREIGN KEY (tenant_id, test_id) REFERENCES learning.tests(tenant_id, id) ON DELETE CASCADE,
  constraint attempts_check CHECK (((status = 'open'::text) = (submitted_at IS NULL))),
  constraint attempts_number_check CHECK ((number > 0)),
  constraint attempts_status_check CHECK ((status = ANY (ARRAY['open'::text, 'graded'::text, 'expired'::text])))
);
create table learning.calendars (
  tenant_id text not null,
  user_id text not null,
  token_hash bytea not null,
  language text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint calendars_pkey PRIMARY KEY (tenant_id, user_id)
);
create table learning.certificates (
  tenant_id text not null,
  user_id text not null,
  channel_id uuid not null,
  certificate_id uuid not null,
  person_name text not null,
  channel_title text not null,
  issuer text not null,
  issued_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint certificates_pkey PRIMARY KEY (tenant_id, user_id, channel_id),
  constraint certificates_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE
);
create table learning.channel_counts (
  tenant_id text not null,
  listed integer not null,
  live integer not null,
  constraint channel_counts_pkey PRIMARY KEY (tenant_id)
) with (fillfactor=50);
create table learning.channel_editors (
  tenant_id text not null,
  user_id text not null,
  channel_id uuid not null,
  created_at timestamp(3) with time zone not null,
  is_unlisted boolean not null,
  constraint channel_editors_pkey PRIMARY KEY (tenant_id, user_id, channel_id),
  constraint channel_editors_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE
);
create table learning.channel_tenants (
  channel_id uuid not null,
  tenant_id text not null,
  constraint channel_tenants_pkey PRIMARY KEY (channel_id)
);
create table learning.channels (
  tenant_id text not null,
  id uuid not null,
  owner_id text not null,
  instructor_ids text[] not null,
  external_id text,
  title text not null,
  description text not null,
  language text not null,
  category text,
  level text not null,
  tags text[] not null,
  thumbnail_url text,
  status text not null,
  enrollment text not null,
  visibility text not null,
  sequential boolean not null,
  completion_threshold numeric not null,
  passing_percent numeric not null,
  grade_weights jsonb,
  version integer not null default 1,
  episode_count integer not null default 0,
  duration_seconds numeric not null default 0,
  published_count integer not null default 0,
  published_seconds numeric not null default 0,
  last_release_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  published_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  is_listed boolean not null generated always as (((deleted_at IS NULL) AND (status = 'published'::text) AND (visibility <> 'private'::text))),
  search tsvector not null generated always as (array_to_tsvector(string_to_array(foundation.words(((title || ' '::text) || description)), ' '::text))),
  constraint channels_pkey PRIMARY KEY (tenant_id, id),
  constraint channels_completion_threshold_check CHECK (((completion_threshold >= 0.5) AND (completion_threshold <= (1)::numeric))),
  constraint channels_enrollment_check CHECK ((enrollment = ANY (ARRAY['open'::text, 'closed'::text]))),
  constraint channels_level_check CHECK ((level = ANY (ARRAY['all'::text, 'beginner'::text, 'intermediate'::text, 'advanced'::text]))),
  constraint channels_passing_percent_check CHECK (((passing_percent >= (0)::numeric) AND (passing_percent <= (100)::numeric))),
  constraint channels_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text]))),
  constraint channels_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'tenant'::text, 'private'::text])))
);
create table learning.deadlines (
  tenant_id text not null,
  work_id uuid not null,
  user_id text not null,
  until timestamp(3) with time zone not null,
  set_by text not null,
  set_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint deadlines_pkey PRIMARY KEY (tenant_id, work_id, user_id)
);
create table learning.enrollment_counts (
  tenant_id text not null,
  channel_id uuid not null,
  learners integer not null,
  constraint enrollment_counts_pkey PRIMARY KEY (tenant_id, channel_id),
  constraint enrollment_counts_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE
) with (fillfactor=50);
create table learning.enrollments (
  tenant_id text not null,
  user_id text not null,
  channel_id uuid not null,
  id uuid not null default gen_random_uuid(),
  user_email text not null,
  as_admin boolean not null default false,
  status text not null,
  source text not null,
  enrolled_at timestamp(3) with time zone not null default statement_timestamp(),
  last_activity_at timestamp(3) with time zone not null default statement_timestamp(),
  completed_at timestamp(3) with time zone,
  constraint enrollments_pkey PRIMARY KEY (tenant_id, user_id, channel_id),
  constraint enrollments_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE,
  constraint enrollments_check CHECK (((status = 'completed'::text) = (completed_at IS NOT NULL))),
  constraint enrollments_source_check CHECK ((source = ANY (ARRAY['self'::text, 'auto'::text]))),
  constraint enrollments_status_check CHECK ((status = ANY (ARRAY['active'::text, 'completed'::text])))
) with (fillfactor=70);
create table learning.episode_changes (
  tenant_id text not null,
  episode_id uuid not null,
  name text not null,
  version integer not null,
  value jsonb,
  base jsonb,
  changed_by text not null,
  changed_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint episode_changes_pkey PRIMARY KEY (tenant_id, episode_id, name),
  constraint episode_changes_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE
);
create table learning.episodes (
  tenant_id text not null,
  id uuid not null,
  channel_id uuid not null,
  "position" integer not null,
  title text not null,
  description text not null,
  status text not null,
  release_at timestamp(3) with time zone,
  thumbnail_url text,
  season integer not null,
  authors text[] not null,
  language text,
  recorded_on date,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  homework_count integer not null default 0,
  published_homework integer not null default 0,
  test_count integer not null default 0,
  published_tests integer not null default 0,
  announced_at timestamp(3) with time zone,
  constraint episodes_pkey PRIMARY KEY (tenant_id, id),
  constraint episodes_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE,
  constraint episodes_season_check CHECK (((season >= 1) AND (season <= 1000))),
  constraint episodes_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text])))
);
create table learning.extra_attempts (
  tenant_id text not null,
  test_id uuid not null,
  user_id text not null,
  extra_attempts integer not null,
  granted_by text not null,
  granted_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint extra_attempts_pkey PRIMARY KEY (tenant_id, test_id, user_id),
  constraint extra_attempts_tenant_id_test_id_fkey FOREIGN KEY (tenant_id, test_id) REFERENCES learning.tests(tenant_id, id) ON DELETE CASCADE,
  constraint extra_attempts_extra_attempts_check CHECK (((extra_attempts >= 0) AND (extra_attempts <= 100)))
);
create table learning.file_pieces (
  tenant_id text not null,
  file_id uuid not null,
  place integer not null,
  content bytea not null,
  constraint file_pieces_pkey PRIMARY KEY (tenant_id, file_id, place),
  constraint file_pieces_tenant_id_file_id_fkey FOREIGN KEY (tenant_id, file_id) REFERENCES learning.files(tenant_id, id) ON DELETE CASCADE
);
create table learning.file_totals (
  tenant_id text not null,
  bytes bigint not null,
  constraint file_totals_pkey PRIMARY KEY (tenant_id),
  constraint file_totals_bytes_check CHECK ((bytes >= 0))
);
create table learning.files (
  tenant_id text not null,
  id uuid not null,
  channel_id uuid not null,
  homework_id uuid,
  submission_id uuid,
  user_id text not null,
  purpose text not null,
  name text not null,
  mime_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  checked_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint files_pkey PRIMARY KEY (tenant_id, id),
  constraint files_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE,
  constraint files_check CHECK (((purpose = 'attachment'::text) = (homework_id IS NOT NULL))),
  constraint files_purpose_check CHECK ((purpose = ANY (ARRAY['picture'::text, 'captions'::text, 'attachment'::text]))),
  constraint files_size_bytes_check CHECK ((size_bytes > 0))
);
create table learning.homework (
  tenant_id text not null,
  id uuid not null,
  episode_id uuid not null,
  title text not null,
  instructions text not null,
  status text not null,
  submission_types text[] not null,
  max_score numeric not null,
  due_at timestamp(3) with time zone,
  lock_at timestamp(3) with time zone,
  late_policy text not null,
  late_penalty_percent_per_day numeric not null,
  late_penalty_max_percent numeric not null,
  max_submissions integer not null,
  rubric jsonb not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  weight numeric(6,2),
  constraint homework_pkey PRIMARY KEY (tenant_id, id),
  constraint homework_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE,
  constraint homework_late_penalty_max_percent_check CHECK (((late_penalty_max_percent >= (0)::numeric) AND (late_penalty_max_percent <= (100)::numeric))),
  constraint homework_late_penalty_percent_per_day_check CHECK (((late_penalty_percent_per_day >= (0)::numeric) AND (late_penalty_percent_per_day <= (100)::numeric))),
  constraint homework_late_policy_check CHECK ((late_policy = ANY (ARRAY['accept'::text, 'penalize'::text, 'reject'::text]))),
  constraint homework_locks_after_due CHECK ((lock_at >= due_at)),
  constraint homework_max_score_check CHECK (((max_score > (0)::numeric) AND (max_score <= (1000)::numeric))),
  constraint homework_max_submissions_check CHECK (((max_submissions >= 0) AND (max_submissions <= 50))),
  constraint homework_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text]))),
  constraint homework_submission_types_check CHECK (((submission_types <@ ARRAY['text'::text, 'url'::text, 'file'::text]) AND (cardinality(submission_types) > 0))),
  constraint homework_weight CHECK (((weight >= (0)::numeric) AND (weight <= (1000)::numeric))) NOT VALID
);
create table learning.homework_drafts (
  tenant_id text not null,
  user_id text not null,
  homework_id uuid not null,
  submissions integer not null,
  fields jsonb not null,
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint homework_drafts_pkey PRIMARY KEY (tenant_id, user_id, homework_id),
  constraint homework_drafts_tenant_id_homework_id_fkey FOREIGN KEY (tenant_id, homework_id) REFERENCES learning.homework(tenant_id, id) ON DELETE CASCADE
);
create table learning.letters (
  tenant_id text not null,
  letter_id uuid not null,
  kind text not null,
  user_id text not null,
  sender_id text,
  bodies jsonb,
  unsubscribe_url text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  done_at timestamp(3) with time zone,
  constraint letters_pkey PRIMARY KEY (tenant_id, letter_id)
);
create table learning.notes (
  tenant_id text not null,
  user_id text not null,
  id uuid not null,
  episode_id uuid not null,
  at_ms integer not null,
  text text not null,
  client_id text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint notes_pkey PRIMARY KEY (tenant_id, user_id, id),
  constraint notes_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE,
  constraint notes_at_ms_check CHECK ((at_ms >= 0))
);
create table learning.notification_settings (
  tenant_id text not null,
  user_id text not null,
  kind text not null,
  in_page boolean not null,
  by_mail boolean not null,
  constraint notification_settings_pkey PRIMARY KEY (tenant_id, user_id, kind)
);
create table learning.notifications (
  tenant_id text not null,
  user_id text not null,
  id uuid not null default gen_random_uuid(),
  kind text not null,
  channel_id uuid not null,
  episode_id uuid not null,
  target_id uuid not null,
  count integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  read_at timestamp(3) with time zone,
  is_hidden boolean not null default false,
  is_to_mail boolean not null default false,
  constraint notifications_pkey PRIMARY KEY (tenant_id, user_id, id),
  constraint notifications_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE,
  constraint notifications_kind_check CHECK ((kind = ANY (ARRAY['graded'::text, 'due'::text, 'episode'::text, 'answer'::text])))
);
create table learning.posts (
  tenant_id text not null,
  id uuid not null,
  episode_id uuid not null,
  question_id uuid,
  user_id text not null,
  as_editor boolean not null,
  text text not null,
  at_ms integer,
  client_id text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  edited_at timestamp(3) with time zone,
  hidden_at timestamp(3) with time zone,
  hidden_by text,
  deleted_at timestamp(3) with time zone,
  constraint posts_pkey PRIMARY KEY (tenant_id, id),
  constraint posts_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE,
  constraint posts_tenant_id_question_id_fkey FOREIGN KEY (tenant_id, question_id) REFERENCES learning.posts(tenant_id, id) ON DELETE CASCADE,
  constraint posts_at_ms_check CHECK ((at_ms >= 0))
);
create table learning.progress (
  tenant_id text not null,
  user_id text not null,
  episode_id uuid not null,
  position_ms integer not null,
  watched int4multirange not null,
  rewatched int4multirange not null default '{}'::int4multirange,
  last_beat int4multirange not null default '{}'::int4multirange,
  claimed_ms integer,
  progress numeric(4,3) not null,
  first_beat_at timestamp(3) with time zone not null default clock_timestamp(),
  completed_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint progress_pkey PRIMARY KEY (tenant_id, user_id, episode_id),
  constraint progress_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE,
  constraint progress_progress_check CHECK (((progress >= (0)::numeric) AND (progress <= (1)::numeric)))
) with (fillfactor=70);
create table learning.question_versions (
  tenant_id text not null,
  question_id uuid not null,
  version integer not null,
  key_version integer not null,
  regrade text not null,
  prompt text not null,
  points numeric not null,
  scoring text not null,
  explanation text not null,
  body jsonb not null,
  written_by text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint question_versions_pkey PRIMARY KEY (tenant_id, question_id, version),
  constraint question_versions_tenant_id_question_id_fkey FOREIGN KEY (tenant_id, question_id) REFERENCES learning.questions(tenant_id, id) ON DELETE CASCADE,
  constraint question_versions_points_check CHECK (((points > (0)::numeric) AND (points <= (1000)::numeric))),
  constraint question_versions_regrade_check CHECK ((regrade = ANY (ARRAY['recalculate'::text, 'full_credit'::text, 'none'::text]))),
  constraint question_versions_scoring_check CHECK ((scoring = ANY (ARRAY['partial'::text, 'all_or_nothing'::text])))
);
create table learning.questions (
  tenant_id text not null,
  id uuid not null,
  test_id uuid not null,
  type text not null,
  "position" integer not null,
  version integer not null,
  since integer not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  constraint questions_pkey PRIMARY KEY (tenant_id, id),
  constraint questions_tenant_id_test_id_fkey FOREIGN KEY (tenant_id, test_id) REFERENCES learning.tests(tenant_id, id) ON DELETE CASCADE,
  constraint questions_position_check CHECK (("position" > 0))
);
create table learning.replaced_grades (
  tenant_id text not null,
  submission_id uuid not null,
  number integer not null,
  status text not null,
  score numeric,
  feedback text not null,
  rubric_scores jsonb not null,
  graded_by text not null,
  graded_at timestamp(3) with time zone not null,
  replaced_by text not null,
  replaced_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint replaced_grades_pkey PRIMARY KEY (tenant_id, submission_id, number),
  constraint replaced_grades_tenant_id_submission_id_fkey FOREIGN KEY (tenant_id, submission_id) REFERENCES learning.submissions(tenant_id, id) ON DELETE CASCADE
);
create table learning.reset_attempts (
  tenant_id text not null,
  id uuid not null,
  test_id uuid not null,
  user_id text not null,
  attempt jsonb not null,
  reset_by text not null,
  reset_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint reset_attempts_pkey PRIMARY KEY (tenant_id, id),
  constraint reset_attempts_tenant_id_test_id_fkey FOREIGN KEY (tenant_id, test_id) REFERENCES learning.tests(tenant_id, id) ON DELETE CASCADE
);
create table learning.search_entries (
  tenant_id text not null,
  id uuid not null,
  place integer not null,
  channel_id uuid not null,
  seconds numeric,
  text text not null,
  size integer not null,
  words tsvector not null,
  constraint search_entries_pkey PRIMARY KEY (tenant_id, id, place)
);
create table learning.submissions (
  tenant_id text not null,
  id uuid not null,
  homework_id uuid not null,
  user_id text not null,
  user_email text not null,
  attempt_number integer not null,
  client_id text,
  text text,
  url text,
  attachments jsonb not null,
  submitted_at timestamp(3) with time zone not null,
  due_at_then timestamp(3) with time zone,
  is_preview boolean not null,
  is_current boolean not null,
  status text not null,
  score numeric,
  feedback text not null default ''::text,
  rubric_scores jsonb not null default '[]'::jsonb,
  graded_by text,
  graded_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint submissions_pkey PRIMARY KEY (tenant_id, id),
  constraint submissions_by_client_id UNIQUE (tenant_id, homework_id, user_id, client_id),
  constraint submissions_numbered UNIQUE (tenant_id, homework_id, user_id, attempt_number),
  constraint submissions_tenant_id_homework_id_fkey FOREIGN KEY (tenant_id, homework_id) REFERENCES learning.homework(tenant_id, id) ON DELETE CASCADE,
  constraint submissions_check CHECK (((status <> 'graded'::text) OR (score IS NOT NULL))),
  constraint submissions_score_check CHECK ((score >= (0)::numeric)),
  constraint submissions_status_check CHECK ((status = ANY (ARRAY['submitted'::text, 'graded'::text, 'returned'::text])))
);
create table learning.suggestions (
  tenant_id text not null,
  id uuid not null,
  agent_type text not null,
  kind text not null,
  status text not null default 'pending'::text,
  severity text not null,
  title text not null,
  body text not null,
  evidence jsonb not null,
  channel_id uuid not null,
  target_type text not null,
  target_id uuid not null,
  target_title text not null,
  target_stamp text not null,
  patch jsonb,
  confidence numeric not null,
  source text not null,
  model text,
  run_id uuid not null,
  fingerprint text not null,
  metric numeric,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  reviewed_by text,
  reviewed_at timestamp(3) with time zone,
  review_note text not null default ''::text,
  constraint suggestions_pkey PRIMARY KEY (tenant_id, id),
  constraint suggestions_tenant_id_channel_id_fkey FOREIGN KEY (tenant_id, channel_id) REFERENCES learning.channels(tenant_id, id) ON DELETE CASCADE,
  constraint suggestions_agent_type_check CHECK ((agent_type = ANY (ARRAY['content'::text, 'engagement'::text]))),
  constraint suggestions_confidence_check CHECK (((confidence >= (0)::numeric) AND (confidence <= (1)::numeric))),
  constraint suggestions_severity_check CHECK ((severity = ANY (ARRAY['info'::text, 'warning'::text, 'critical'::text]))),
  constraint suggestions_source_check CHECK ((source = ANY (ARRAY['heuristic'::text, 'llm'::text]))),
  constraint suggestions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'applied'::text, 'expired'::text]))),
  constraint suggestions_target_type_check CHECK ((target_type = ANY (ARRAY['channel'::text, 'episode'::text, 'video'::text, 'homework'::text, 'test'::text, 'question'::text])))
);
create table learning.tests (
  tenant_id text not null,
  id uuid not null,
  episode_id uuid not null,
  title text not null,
  description text not null,
  status text not null,
  max_attempts integer not null,
  retry_delay_seconds integer not null,
  time_limit_seconds integer,
  opens_at timestamp(3) with time zone,
  closes_at timestamp(3) with time zone,
  passing_percent numeric,
  score_policy text not null,
  shuffle_questions boolean not null,
  shuffle_options boolean not null,
  feedback_policy text not null,
  show_explanations boolean not null,
  question_count integer not null default 0,
  max_score numeric not null default 0,
  key_version integer not null default 0,
  regrade_version integer not null default 0,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  show_right_answers boolean not null default false,
  weight numeric(6,2),
  constraint tests_pkey PRIMARY KEY (tenant_id, id),
  constraint tests_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE,
  constraint tests_close_after_opening CHECK ((closes_at > opens_at)),
  constraint tests_feedback_policy_check CHECK ((feedback_policy = ANY (ARRAY['score'::text, 'after_final'::text, 'per_question'::text]))),
  constraint tests_max_attempts_check CHECK (((max_attempts >= 0) AND (max_attempts <= 100))),
  constraint tests_passing_percent_check CHECK (((passing_percent >= (0)::numeric) AND (passing_percent <= (100)::numeric))),
  constraint tests_retry_delay_seconds_check CHECK (((retry_delay_seconds >= 0) AND (retry_delay_seconds <= 2592000))),
  constraint tests_score_policy_check CHECK ((score_policy = ANY (ARRAY['best'::text, 'latest'::text, 'average'::text, 'first'::text]))),
  constraint tests_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text]))),
  constraint tests_time_limit_seconds_check CHECK (((time_limit_seconds >= 30) AND (time_limit_seconds <= 86400))),
  constraint tests_weight CHECK (((weight >= (0)::numeric) AND (weight <= (1000)::numeric))) NOT VALID
);
create table learning.videos (
  tenant_id text not null,
  episode_id uuid not null,
  id uuid not null,
  url text not null,
  poster_url text,
  kind text not null,
  mime_type text not null,
  embed_url text,
  duration_seconds numeric,
  width integer,
  height integer,
  size_bytes bigint,
  sha256 text,
  sources jsonb not null,
  chapters jsonb not null,
  captions jsonb not null,
  transcript text not null,
  completion_threshold numeric,
  strict_watch boolean not null,
  asset_version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  trackable boolean not null generated always as ((kind <> 'embed'::text)),
  has_captions boolean not null generated always as ((jsonb_array_length(captions) > 0)),
  has_transcript boolean not null generated always as ((transcript <> ''::text)),
  constraint videos_pkey PRIMARY KEY (tenant_id, episode_id),
  constraint videos_tenant_id_episode_id_fkey FOREIGN KEY (tenant_id, episode_id) REFERENCES learning.episodes(tenant_id, id) ON DELETE CASCADE,
  constraint videos_completion_threshold_check CHECK (((completion_threshold >= 0.5) AND (completion_threshold <= (1)::numeric))),
  constraint videos_duration_seconds_check CHECK (((duration_seconds > (0)::numeric) AND (duration_seconds <= (86400)::numeric))),
  constraint videos_kind_check CHECK ((kind = ANY (ARRAY['file'::text, 'hls'::text, 'embed'::text])))
);
create table sso.audit_counts (
  site_id uuid not null,
  environment text not null,
  action text not null,
  slot smallint not null,
  lines bigint not null,
  constraint audit_counts_pkey PRIMARY KEY (site_id, environment, action, slot)
) with (fillfactor=50);
create table sso.audit_log (
  audit_id uuid not null,
  occurred_at timestamp(3) with time zone not null default clock_timestamp(),
  action text not null,
  environment text not null,
  site_id uuid,
  actor_user_id uuid,
  subject_user_id uuid,
  ip_address text,
  user_agent text,
  details jsonb not null default '{}'::jsonb,
  constraint audit_log_pkey PRIMARY KEY (audit_id, occurred_at),
  constraint audit_log_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
) partition by RANGE (occurred_at);
create view sso.audit_months (
  name name,
  begins timestamp with time zone,
  ends timestamp with time zone
);
create table sso.billing_ledger (
  user_id uuid not null,
  site_id uuid not null,
  month timestamp(3) with time zone not null,
  email_hmac bytea,
  billed_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint billing_ledger_pkey PRIMARY KEY (user_id),
  constraint billing_ledger_once_a_month UNIQUE (site_id, month, email_hmac),
  constraint billing_ledger_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id)
);
create table sso.branding (
  is_only boolean not null default true,
  name text not null,
  logo_url text,
  color text,
  version integer not null default 1,
  updated_at timestamp with time zone not null default clock_timestamp(),
  constraint branding_pkey PRIMARY KEY (is_only),
  constraint branding_color_check CHECK ((color ~ '^#[0-9a-f]{6}$'::text)),
  constraint branding_is_only_check CHECK (is_only),
  constraint branding_name_check CHECK (((length(name) >= 1) AND (length(name) <= 60)))
);
create table sso.bulk_erased (
  job_id uuid not null,
  email_digest bytea not null,
  constraint bulk_erased_pkey PRIMARY KEY (job_id, email_digest),
  constraint bulk_erased_job_id_fkey FOREIGN KEY (job_id) REFERENCES sso.bulk_jobs(job_id) ON DELETE CASCADE
);
create table sso.bulk_errors (
  job_id uuid not null,
  "row" integer not null,
  place smallint not null,
  line integer not null,
  field text,
  code text not null,
  is_warning boolean not null default false,
  constraint bulk_errors_pkey PRIMARY KEY (job_id, "row", place),
  constraint bulk_errors_job_id_fkey FOREIGN KEY (job_id) REFERENCES sso.bulk_jobs(job_id) ON DELETE CASCADE
);
create table sso.bulk_files (
  job_id uuid not null,
  place integer not null,
  content bytea not null,
  constraint bulk_files_pkey PRIMARY KEY (job_id, place),
  constraint bulk_files_job_id_fkey FOREIGN KEY (job_id) REFERENCES sso.bulk_jobs(job_id) ON DELETE CASCADE
);
create table sso.bulk_jobs (
  job_id uuid not null,
  site_id uuid not null,
  created_by uuid not null,
  acts_at uuid,
  status text not null default 'queued'::text,
  failure text,
  is_due boolean not null default false,
  on_conflict text not null,
  dry_run boolean not null,
  emit_events boolean not null,
  delimiter text not null,
  columns text[] not null,
  total_rows integer not null,
  processed_rows integer not null default 0,
  success_count integer not null default 0,
  skipped_count integer not null default 0,
  error_count integer not null default 0,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  started_at timestamp(3) with time zone,
  cancel_requested_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  new_people integer not null default 0,
  over_quota_count integer not null default 0,
  warning_count integer not null default 0,
  lease_token uuid,
  starts smallint not null default 0,
  staged_rows integer,
  constraint bulk_jobs_pkey PRIMARY KEY (job_id),
  constraint bulk_jobs_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint bulk_jobs_add_up CHECK ((((success_count + skipped_count) + error_count) = processed_rows)),
  constraint bulk_jobs_complete CHECK (((status <> ALL (ARRAY['completed'::text, 'completed_with_errors'::text])) OR (processed_rows = total_rows))),
  constraint bulk_jobs_delimiter_check CHECK ((delimiter = ANY (ARRAY[','::text, ';'::text, '	'::text]))),
  constraint bulk_jobs_end CHECK (((finished_at IS NULL) = (status = ANY (ARRAY['queued'::text, 'processing'::text])))),
  constraint bulk_jobs_failure CHECK (((failure IS NULL) = (status <> 'failed'::text))),
  constraint bulk_jobs_not_beyond CHECK ((processed_rows <= total_rows)),
  constraint bulk_jobs_on_conflict_check CHECK ((on_conflict = ANY (ARRAY['skip'::text, 'update'::text, 'error'::text]))),
  constraint bulk_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'completed'::text, 'completed_with_errors'::text, 'failed'::text, 'canceled'::text]))),
  constraint bulk_jobs_total_rows_check CHECK ((total_rows >= 0))
) with (fillfactor=80);
create table sso.bulk_rows (
  job_id uuid not null,
  "row" integer not null,
  line integer not null,
  faults jsonb,
  user_id uuid,
  email text,
  email_fold text,
  email_verified boolean,
  username text,
  username_fold text,
  phone text,
  display_name text,
  given_name text,
  family_name text,
  locale text,
  time_zone text,
  external_id text,
  role text,
  password_hash text,
  must_reset_password boolean,
  constraint bulk_rows_pkey PRIMARY KEY (job_id, "row")
);
create table sso.connection_claims (
  connection_id uuid not null,
  claims_enc bytea not null,
  told_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  constraint connection_claims_pkey PRIMARY KEY (connection_id),
  constraint connection_claims_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE
);
create table sso.connection_documents (
  connection_id uuid not null,
  url text not null,
  body text not null,
  fetched_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint connection_documents_pkey PRIMARY KEY (connection_id, url),
  constraint connection_documents_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE
);
create table sso.connection_domains (
  site_id uuid not null,
  domain text not null,
  connection_id uuid not null,
  challenge text not null,
  verified_at timestamp(3) with time zone,
  verified_by text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint connection_domains_pkey PRIMARY KEY (site_id, domain),
  constraint connection_domains_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE,
  constraint connection_domains_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint connection_domains_check CHECK (((verified_at IS NULL) = (verified_by IS NULL))),
  constraint connection_domains_verified_by_check CHECK ((verified_by = ANY (ARRAY['dns'::text, 'operator'::text])))
);
create table sso.connection_keys (
  key_id uuid not null,
  connection_id uuid not null,
  certificate text not null,
  private_enc bytea not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  ends_at timestamp(3) with time zone,
  constraint connection_keys_pkey PRIMARY KEY (key_id),
  constraint connection_keys_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE
);
create table sso.connection_messages (
  connection_id uuid not null,
  message_id text not null,
  expires_at timestamp(3) with time zone not null,
  constraint connection_messages_pkey PRIMARY KEY (connection_id, message_id),
  constraint connection_messages_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE
);
create table sso.connections (
  connection_id uuid not null,
  site_id uuid not null,
  type text not null,
  name text not null,
  status text not null default 'active'::text,
  issuer text,
  client_id text,
  client_secret_enc bytea,
  metadata_url text,
  metadata_xml text,
  attribute_mapping jsonb not null default '{}'::jsonb,
  role_attribute text,
  role_mapping jsonb not null default '[]'::jsonb,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  required_signature text not null default 'either'::text,
  constraint connections_pkey PRIMARY KEY (connection_id),
  constraint connections_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint connections_check CHECK (((type <> 'oidc'::text) OR ((issuer IS NOT NULL) AND (client_id IS NOT NULL) AND (metadata_url IS NULL) AND (metadata_xml IS NULL)))),
  constraint connections_check1 CHECK (((type <> 'saml'::text) OR ((issuer IS NULL) AND (client_id IS NULL) AND (num_nonnulls(metadata_url, metadata_xml) = 1)))),
  constraint connections_required_signature_check CHECK ((required_signature = ANY (ARRAY['either'::text, 'assertion'::text, 'response'::text, 'both'::text]))),
  constraint connections_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))),
  constraint connections_type_check CHECK ((type = ANY (ARRAY['oidc'::text, 'saml'::text])))
);
create table sso.consents (
  user_id uuid not null,
  site_id uuid not null,
  scopes text[] not null,
  given_by text not null,
  granted_at timestamp(3) with time zone not null default clock_timestamp(),
  revoked_at timestamp(3) with time zone,
  constraint consents_pkey PRIMARY KEY (user_id, site_id),
  constraint consents_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint consents_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE,
  constraint consents_given_by_check CHECK ((given_by = ANY (ARRAY['page'::text, 'password'::text, 'organisation'::text, 'site'::text])))
);
create table sso.deprecation_notices (
  route text not null,
  since date not null,
  sunset date not null,
  announced_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint deprecation_notices_pkey PRIMARY KEY (route, since, sunset)
);
create table sso.email_changes (
  change_id uuid not null,
  user_id uuid not null,
  session_id uuid not null,
  site_id uuid,
  environment text not null,
  old_email text not null,
  old_fold text not null,
  new_email text not null,
  token_hash bytea not null,
  asked_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  done_at timestamp(3) with time zone,
  undo_hash bytea,
  undo_until timestamp(3) with time zone,
  constraint email_changes_pkey PRIMARY KEY (change_id),
  constraint email_changes_by_token UNIQUE (token_hash),
  constraint email_changes_by_undo UNIQUE (undo_hash),
  constraint email_changes_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint email_changes_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE,
  constraint email_changes_done_has_undo CHECK ((((done_at IS NULL) = (undo_hash IS NULL)) AND ((done_at IS NULL) = (undo_until IS NULL)))),
  constraint email_changes_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
);
create table sso.email_claims (
  user_id uuid not null,
  tenant_id uuid not null,
  email_fold text not null,
  domain text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint email_claims_pkey PRIMARY KEY (user_id, tenant_id),
  constraint email_claims_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES sso.tenants(tenant_id) ON DELETE CASCADE,
  constraint email_claims_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE
);
create table sso.erasure_sites (
  site_id uuid not null,
  erased_at timestamp(3) with time zone not null,
  user_id uuid not null,
  constraint erasure_sites_pkey PRIMARY KEY (site_id, erased_at, user_id),
  constraint erasure_sites_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.erasures(user_id) ON DELETE CASCADE
);
create table sso.erasures (
  user_id uuid not null,
  environment text not null,
  reason_code text not null,
  ccpa_drop_request boolean not null,
  gdpr_erasure_request boolean not null,
  erased_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint erasures_pkey PRIMARY KEY (user_id),
  constraint erasures_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
);
create table sso.identities (
  identity_id uuid not null,
  connection_id uuid not null,
  issuer text not null,
  subject text not null,
  user_id uuid not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  last_used_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint identities_pkey PRIMARY KEY (identity_id),
  constraint identities_by_subject UNIQUE (connection_id, issuer, subject),
  constraint identities_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE,
  constraint identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE
);
create table sso.identity_sign_ins (
  login_id uuid not null,
  identity_id uuid not null,
  idp_session text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint identity_sign_ins_pkey PRIMARY KEY (login_id),
  constraint identity_sign_ins_identity_id_fkey FOREIGN KEY (identity_id) REFERENCES sso.identities(identity_id) ON DELETE CASCADE
);
create table sso.import_quotas (
  tenant_id uuid not null,
  people_per_day integer,
  set_by uuid,
  set_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint import_quotas_pkey PRIMARY KEY (tenant_id),
  constraint import_quotas_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES sso.tenants(tenant_id) ON DELETE CASCADE,
  constraint import_quotas_people_per_day_check CHECK ((people_per_day >= 0))
);
create table sso.import_usage (
  tenant_id uuid not null,
  day date not null,
  people integer not null,
  constraint import_usage_pkey PRIMARY KEY (tenant_id, day),
  constraint import_usage_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES sso.tenants(tenant_id) ON DELETE CASCADE,
  constraint import_usage_people_check CHECK ((people >= 0))
);
create table sso.member_counts (
  site_id uuid not null,
  environment text not null,
  slot smallint not null,
  members integer not null,
  constraint member_counts_pkey PRIMARY KEY (site_id, environment, slot)
) with (fillfactor=50);
create table sso.memberships (
  user_id uuid not null,
  site_id uuid not null,
  role text not null,
  external_id text,
  suspended_at timestamp(3) with time zone,
  joined_at timestamp(3) with time zone not null default clock_timestamp(),
  assigned_by uuid,
  assigned_at timestamp(3) with time zone not null default clock_timestamp(),
  environment text not null,
  user_created_at timestamp(3) with time zone not null,
  constraint memberships_pkey PRIMARY KEY (user_id, site_id),
  constraint memberships_by_external_id UNIQUE (site_id, external_id),
  constraint memberships_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint memberships_site_id_role_fkey FOREIGN KEY (site_id, role) REFERENCES sso.roles(site_id, role),
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE
);
create table sso.messages (
  message_id uuid not null,
  environment text not null,
  site_id uuid,
  user_id uuid not null,
  channel text not null,
  kind text not null,
  recipient text not null,
  body_enc bytea,
  status text not null,
  failure text,
  job_id uuid,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  finished_at timestamp(3) with time zone,
  resent_as uuid,
  constraint messages_pkey PRIMARY KEY (message_id),
  constraint messages_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint messages_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE,
  constraint messages_body_until_it_left CHECK (((body_enc IS NULL) = (status = ANY (ARRAY['sent'::text, 'failed'::text])))),
  constraint messages_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
  constraint messages_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint messages_sandbox_stays CHECK (((environment = 'sandbox'::text) = (status = 'logged'::text))),
  constraint messages_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'failed'::text, 'logged'::text])))
);
create table sso.mfa_challenges (
  token_hash bytea not null,
  user_id uuid not null,
  site_id uuid not null,
  methods text[] not null,
  login_id uuid not null,
  auth_methods text[] not null,
  device_name text,
  attempts integer not null default 0,
  email_code_hmac bytea,
  email_sent_at timestamp(3) with time zone,
  webauthn_challenge text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  consumed_at timestamp(3) with time zone,
  session_id uuid,
  sms_code_hmac bytea,
  constraint mfa_challenges_pkey PRIMARY KEY (token_hash),
  constraint mfa_challenges_session_id_fkey FOREIGN KEY (session_id) REFERENCES sso.sessions(session_id) ON DELETE CASCADE,
  constraint mfa_challenges_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint mfa_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE
);
create table sso.mfa_factors (
  factor_id uuid not null,
  user_id uuid not null,
  type text not null,
  name text,
  secret_enc bytea,
  last_used_step bigint,
  credential_id text,
  public_key bytea,
  sign_count bigint,
  transports text[],
  email text,
  enrol_challenge text,
  enrol_code_hmac bytea,
  enrol_attempts integer not null default 0,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  activated_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  phone text,
  is_user_verified boolean not null default false,
  constraint mfa_factors_pkey PRIMARY KEY (factor_id),
  constraint mfa_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE,
  constraint mfa_factors_email_has_address CHECK (((type <> 'email'::text) OR (email IS NOT NULL))),
  constraint mfa_factors_sms_has_number CHECK (((type <> 'sms'::text) OR (phone IS NOT NULL))),
  constraint mfa_factors_totp_has_seed CHECK (((type <> 'totp'::text) OR (secret_enc IS NOT NULL))),
  constraint mfa_factors_type_check CHECK ((type = ANY (ARRAY['totp'::text, 'webauthn'::text, 'email'::text, 'sms'::text]))),
  constraint mfa_factors_webauthn_has_key CHECK (((type <> 'webauthn'::text) OR (activated_at IS NULL) OR ((credential_id IS NOT NULL) AND (public_key IS NOT NULL) AND (sign_count IS NOT NULL))))
);
create table sso.one_time_tokens (
  token_hash bytea not null,
  user_id uuid not null,
  site_id uuid,
  purpose text not null,
  email_fold text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  spent_at timestamp(3) with time zone,
  constraint one_time_tokens_pkey PRIMARY KEY (token_hash),
  constraint one_time_tokens_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE,
  constraint one_time_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['email_verification'::text, 'password_reset'::text, 'invitation'::text, 'address_claim'::text])))
);
create table sso.openid_clients (
  site_id uuid not null,
  secret_hash bytea not null,
  redirect_uris text[] not null,
  post_logout_redirect_uris text[] not null default '{}'::text[],
  backchannel_logout_uri text,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  scopes text[] not null default '{}'::text[],
  client_session uuid not null default gen_random_uuid(),
  requires_pkce boolean not null default true,
  constraint openid_clients_pkey PRIMARY KEY (site_id),
  constraint openid_clients_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint openid_clients_of_some_use CHECK (((cardinality(redirect_uris) > 0) OR (cardinality(scopes) > 0))),
  constraint openid_clients_post_logout_redirect_uris_check CHECK ((cardinality(post_logout_redirect_uris) <= 20)),
  constraint openid_clients_redirect_uris_check CHECK ((cardinality(redirect_uris) <= 20))
);
create table sso.openid_codes (
  code_hash bytea not null,
  session_id uuid not null,
  site_id uuid not null,
  token_enc bytea not null,
  redirect_uri text not null,
  code_challenge text,
  nonce text,
  scope text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  spent_at timestamp(3) with time zone,
  constraint openid_codes_pkey PRIMARY KEY (code_hash),
  constraint openid_codes_session_id_fkey FOREIGN KEY (session_id) REFERENCES sso.sessions(session_id) ON DELETE CASCADE,
  constraint openid_codes_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE
);
create table sso.orders (
  order_id uuid not null,
  site_id uuid not null,
  kind text not null,
  plan text,
  status text not null default 'pending'::text,
  amount integer not null,
  currency text not null default 'USD'::text,
  period_start timestamp(3) with time zone,
  period_end timestamp(3) with time zone,
  registrations integer,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  closed_at timestamp(3) with time zone,
  paid_at timestamp(3) with time zone,
  fulfilled_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  constraint orders_pkey PRIMARY KEY (order_id),
  constraint orders_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id),
  constraint orders_amount_check CHECK ((amount >= 0)),
  constraint orders_currency_check CHECK ((currency = 'USD'::text)),
  constraint orders_kind_check CHECK ((kind = ANY (ARRAY['plan'::text, 'registration_usage'::text]))),
  constraint orders_plan_check CHECK ((plan = ANY (ARRAY['starter'::text, 'business'::text, 'enterprise'::text]))),
  constraint orders_plan_or_month CHECK (
CASE kind
    WHEN 'plan'::text THEN ((plan IS NOT NULL) AND (num_nulls(period_start, period_end, registrations, closed_at) = 4))
    ELSE ((plan IS NULL) AND (num_nulls(period_start, period_end, registrations) = 0))
END),
  constraint orders_registrations_check CHECK ((registrations > 0)),
  constraint orders_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'paid'::text, 'fulfilled'::text, 'failed'::text, 'canceled'::text, 'refunded'::text]))),
  constraint orders_times_follow_status CHECK (
CASE status
    WHEN 'pending'::text THEN (num_nulls(paid_at, fulfilled_at, ended_at) = 3)
    WHEN 'paid'::text THEN ((paid_at IS NOT NULL) AND (num_nulls(fulfilled_at, ended_at) = 2))
    WHEN 'fulfilled'::text THEN ((num_nulls(paid_at, fulfilled_at) = 0) AND (ended_at IS NULL))
    WHEN 'refunded'::text THEN (num_nulls(paid_at, ended_at) = 0)
    ELSE ((num_nulls(paid_at, fulfilled_at) = 2) AND (ended_at IS NOT NULL))
END)
);
create table sso.payment_events (
  event_id text not null,
  event_type text not null,
  order_id uuid,
  payment_id text,
  outcome text not null,
  received_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint payment_events_pkey PRIMARY KEY (event_id),
  constraint payment_events_order_id_fkey FOREIGN KEY (order_id) REFERENCES sso.orders(order_id)
);
create table sso.proven_sign_ins (
  token_hash bytea not null,
  user_id uuid not null,
  site_id uuid not null,
  login_id uuid not null,
  auth_methods text[] not null,
  gives_role boolean not null default false,
  role text,
  auth_time timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  constraint proven_sign_ins_pkey PRIMARY KEY (token_hash),
  constraint proven_sign_ins_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint proven_sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE
);
create table sso.recovery_codes (
  user_id uuid not null,
  code_hmac bytea not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  used_at timestamp(3) with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hmac),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE
);
create table sso.refresh_tokens (
  token_hash bytea not null,
  session_id uuid not null,
  generation integer not null,
  issued_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  consumed_at timestamp(3) with time zone,
  successor_hash bytea,
  consumed_ip text,
  consumed_ua_hash bytea,
  idempotency_hash bytea,
  response_enc bytea,
  constraint refresh_tokens_pkey PRIMARY KEY (token_hash),
  constraint refresh_tokens_in_line UNIQUE (session_id, generation),
  constraint refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sso.sessions(session_id) ON DELETE CASCADE,
  constraint refresh_tokens_spent_has_successor CHECK (((consumed_at IS NULL) = (successor_hash IS NULL)))
) with (fillfactor=80);
create table sso.roles (
  site_id uuid not null,
  role text not null,
  name text not null,
  description text not null,
  permissions text[] not null,
  is_admin boolean not null default false,
  is_default boolean not null default false,
  constraint roles_pkey PRIMARY KEY (site_id, role),
  constraint roles_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE
);
create table sso.scim_groups (
  group_id uuid not null,
  connection_id uuid not null,
  display_name text not null,
  name_fold text not null,
  external_id text,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint scim_groups_pkey PRIMARY KEY (group_id),
  constraint scim_groups_by_external_id UNIQUE (connection_id, external_id),
  constraint scim_groups_by_name UNIQUE (connection_id, name_fold),
  constraint scim_groups_of_connection UNIQUE (connection_id, group_id),
  constraint scim_groups_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE
);
create table sso.scim_members (
  connection_id uuid not null,
  group_id uuid not null,
  user_id uuid not null,
  constraint scim_members_pkey PRIMARY KEY (connection_id, group_id, user_id),
  constraint scim_members_connection_id_group_id_fkey FOREIGN KEY (connection_id, group_id) REFERENCES sso.scim_groups(connection_id, group_id) ON DELETE CASCADE,
  constraint scim_members_connection_id_user_id_fkey FOREIGN KEY (connection_id, user_id) REFERENCES sso.scim_users(connection_id, user_id) ON DELETE CASCADE
);
create table sso.scim_tokens (
  token_id uuid not null,
  connection_id uuid not null,
  token_hash bytea not null,
  name text not null,
  hint text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  constraint scim_tokens_pkey PRIMARY KEY (token_id),
  constraint scim_tokens_token_hash_key UNIQUE (token_hash),
  constraint scim_tokens_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE
);
create table sso.scim_users (
  connection_id uuid not null,
  user_id uuid not null,
  user_name text not null,
  user_name_fold text not null,
  external_id text,
  resource jsonb not null,
  is_created boolean not null,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint scim_users_pkey PRIMARY KEY (connection_id, user_id),
  constraint scim_users_by_external_id UNIQUE (connection_id, external_id),
  constraint scim_users_by_name UNIQUE (connection_id, user_name_fold),
  constraint scim_users_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE,
  constraint scim_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE
);
create table sso.session_bumps (
  xid xid8 not null default pg_current_xact_id(),
  user_id uuid not null,
  session_version integer not null,
  revoked_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint session_bumps_pkey PRIMARY KEY (xid, user_id)
);
create table sso.sessions (
  session_id uuid not null,
  login_id uuid not null,
  user_id uuid not null,
  site_id uuid not null,
  auth_methods text[] not null,
  auth_time timestamp(3) with time zone not null default clock_timestamp(),
  ip_address text,
  user_agent text,
  device_name text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  last_seen_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  revoke_reason text,
  proven_at timestamp(3) with time zone,
  proven_methods text[] not null default '{}'::text[],
  openid_scope text,
  constraint sessions_pkey PRIMARY KEY (session_id),
  constraint sessions_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES sso.users(user_id) ON DELETE CASCADE,
  constraint sessions_end_has_reason CHECK (((revoked_at IS NULL) = (revoke_reason IS NULL)))
) with (fillfactor=80);
create table sso.sign_in_attempts (
  state_hash bytea not null,
  connection_id uuid not null,
  kind text not null,
  browser_hash bytea not null,
  secret_enc bytea not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  expires_at timestamp(3) with time zone not null,
  constraint sign_in_attempts_pkey PRIMARY KEY (state_hash),
  constraint sign_in_attempts_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES sso.connections(connection_id) ON DELETE CASCADE,
  constraint sign_in_attempts_kind_check CHECK ((kind = ANY (ARRAY['oidc'::text, 'saml'::text, 'ticket'::text])))
);
create table sso.sign_in_codes (
  code_hash bytea not null,
  session_id uuid not null,
  token_enc bytea not null,
  expires_at timestamp(3) with time zone not null,
  code_challenge text,
  constraint sign_in_codes_pkey PRIMARY KEY (code_hash),
  constraint sign_in_codes_session_id_fkey FOREIGN KEY (session_id) REFERENCES sso.sessions(session_id) ON DELETE CASCADE
);
create table sso.signing_keys (
  kid text not null,
  environment text not null,
  alg text not null,
  purpose text not null,
  state text not null,
  public_jwk jsonb not null,
  private_enc bytea,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  activated_at timestamp(3) with time zone,
  retiring_at timestamp(3) with time zone,
  activates_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  constraint signing_keys_pkey PRIMARY KEY (kid),
  constraint signing_keys_active_since CHECK (((state = ANY (ARRAY['standby'::text, 'revoked'::text])) OR (activated_at IS NOT NULL))),
  constraint signing_keys_alg_check CHECK ((alg = 'RS256'::text)),
  constraint signing_keys_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint signing_keys_private_until_revoked CHECK (((state = 'revoked'::text) = (private_enc IS NULL))),
  constraint signing_keys_purpose_check CHECK ((purpose = ANY (ARRAY['access'::text, 'logout'::text]))),
  constraint signing_keys_retiring_since CHECK (((state <> 'retiring'::text) OR (retiring_at IS NOT NULL))),
  constraint signing_keys_revoked_since CHECK (((state = 'revoked'::text) = (revoked_at IS NOT NULL))),
  constraint signing_keys_state_check CHECK ((state = ANY (ARRAY['standby'::text, 'active'::text, 'retiring'::text, 'revoked'::text])))
);
create table sso.site_keys (
  key_hash bytea not null,
  site_id uuid not null,
  hint text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  constraint site_keys_pkey PRIMARY KEY (key_hash),
  constraint site_keys_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE
);
create table sso.sites (
  site_id uuid not null,
  tenant_id uuid not null,
  site_code text not null,
  name text not null,
  domain text not null,
  environment text not null,
  callback_url text,
  token_signing text not null default 'HS256'::text,
  hs_generation integer not null default 1,
  refresh_reuse_policy text not null default 'tolerant'::text,
  trust_client_ip boolean not null default false,
  plan text not null default 'starter'::text,
  retention_days integer,
  session_max_days integer,
  is_first_party boolean not null default false,
  webhook_secret_enc bytea not null,
  webhook_secret_old_enc bytea,
  webhook_switch_at timestamp(3) with time zone,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  hs_rotated_at timestamp(3) with time zone,
  status text not null default 'active'::text,
  domain_verified_at timestamp(3) with time zone,
  created_by uuid,
  require_mfa text not null default 'none'::text,
  return_urls text[] not null default '{}'::text[],
  constraint sites_pkey PRIMARY KEY (site_id),
  constraint sites_by_code UNIQUE (site_code),
  constraint sites_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES sso.tenants(tenant_id),
  constraint sites_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint sites_plan_check CHECK ((plan = ANY (ARRAY['starter'::text, 'business'::text, 'enterprise'::text]))),
  constraint sites_refresh_reuse_policy_check CHECK ((refresh_reuse_policy = ANY (ARRAY['tolerant'::text, 'strict'::text]))),
  constraint sites_require_mfa_check CHECK ((require_mfa = ANY (ARRAY['none'::text, 'admins'::text, 'all'::text]))),
  constraint sites_retention_days_check CHECK ((retention_days > 0)),
  constraint sites_return_urls_check CHECK ((cardinality(return_urls) <= 20)),
  constraint sites_session_max_days_check CHECK ((session_max_days > 0)),
  constraint sites_status_check CHECK ((status = ANY (ARRAY['active'::text, 'pending'::text]))),
  constraint sites_token_signing_check CHECK ((token_signing = ANY (ARRAY['HS256'::text, 'RS256'::text, 'dual'::text])))
);
create table sso.sms_sent (
  counted_hmac bytea not null,
  sent_at timestamp(3) with time zone[] not null,
  constraint sms_sent_pkey PRIMARY KEY (counted_hmac)
);
create table sso.spent_challenges (
  challenge_hash bytea not null,
  expires_at timestamp(3) with time zone not null,
  constraint spent_challenges_pkey PRIMARY KEY (challenge_hash)
);
create table sso.tenants (
  tenant_id uuid not null,
  name text not null,
  environment text not null,
  production_tenant_id uuid,
  created_by uuid,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint tenants_pkey PRIMARY KEY (tenant_id),
  constraint tenants_one_twin UNIQUE (production_tenant_id),
  constraint tenants_production_tenant_id_fkey FOREIGN KEY (production_tenant_id) REFERENCES sso.tenants(tenant_id),
  constraint tenants_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint tenants_twin_is_sandbox CHECK (((production_tenant_id IS NULL) OR (environment = 'sandbox'::text)))
);
create table sso.users (
  user_id uuid not null,
  environment text not null,
  email text,
  email_fold text,
  email_verified boolean not null default false,
  email_proven_at timestamp(3) with time zone,
  username text,
  username_fold text,
  password_hash text,
  phone text,
  display_name text,
  given_name text,
  family_name text,
  locale text,
  time_zone text,
  avatar_url text,
  metadata jsonb not null default '{}'::jsonb,
  status text not null default 'active'::text,
  session_version integer not null default 1,
  version integer not null default 1,
  registration_site_id uuid,
  registration_source text not null,
  last_login_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  phone_verified boolean not null default false,
  search tsvector not null generated always as (array_to_tsvector(string_to_array(foundation.words(((((((((COALESCE(email, ''::text) || ' '::text) || COALESCE(username, ''::text)) || ' '::text) || COALESCE(display_name, ''::text)) || ' '::text) || COALESCE(given_name, ''::text)) || ' '::text) || COALESCE(family_name, ''::text))), ' '::text))),
  display_name_fold text not null generated always as (foundation.fold(COALESCE(display_name, ''::text))),
  is_claimed boolean not null default false,
  constraint users_pkey PRIMARY KEY (user_id),
  constraint users_registration_site_id_fkey FOREIGN KEY (registration_site_id) REFERENCES sso.sites(site_id),
  constraint users_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text]))),
  constraint users_reachable CHECK (((status = 'deleted'::text) OR ((email IS NOT NULL) AND (email_fold IS NOT NULL)))),
  constraint users_registration_source_check CHECK ((registration_source = ANY (ARRAY['register'::text, 'admin'::text, 'bulk_import'::text, 'sso_jit'::text]))),
  constraint users_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deleted'::text]))),
  constraint users_verified_is_proven CHECK (((NOT email_verified) OR (email_proven_at IS NOT NULL)))
);
create table sso.webhook_attempts (
  delivery_id uuid not null,
  claim integer not null,
  started_at timestamp(3) with time zone not null default clock_timestamp(),
  finished_at timestamp(3) with time zone,
  response_status integer,
  error text,
  retry_after text,
  duration_ms integer,
  constraint webhook_attempts_pkey PRIMARY KEY (delivery_id, claim),
  constraint webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES sso.webhook_deliveries(delivery_id) ON DELETE CASCADE
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02);
create table sso.webhook_deliveries (
  delivery_id uuid not null,
  event_id uuid not null,
  webhook_id uuid not null,
  site_id uuid not null,
  event_type text not null,
  run integer not null default 1,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  max_attempts integer not null,
  next_attempt_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  delivered_at timestamp(3) with time zone,
  priority smallint not null default 1,
  claims integer not null default 0,
  lease_token uuid,
  lease_until timestamp(3) with time zone,
  trace text,
  constraint webhook_deliveries_pkey PRIMARY KEY (delivery_id),
  constraint webhook_deliveries_runs UNIQUE (event_id, webhook_id, run),
  constraint webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES sso.webhook_events(event_id) ON DELETE CASCADE,
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES sso.webhook_endpoints(webhook_id) ON DELETE CASCADE,
  constraint webhook_deliveries_lease CHECK (((lease_token IS NULL) = (lease_until IS NULL))),
  constraint webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'held'::text])))
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02, fillfactor=50);
create table sso.webhook_endpoints (
  webhook_id uuid not null,
  site_id uuid not null,
  url text not null,
  events text[] not null,
  description text,
  all_sites boolean not null default false,
  status text not null default 'active'::text,
  auto_disable boolean not null default false,
  consecutive_failures integer not null default 0,
  failing_since timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  updated_at timestamp(3) with time zone not null default clock_timestamp(),
  deleted_at timestamp(3) with time zone,
  confirmed_at timestamp(3) with time zone,
  last_error text,
  constraint webhook_endpoints_pkey PRIMARY KEY (webhook_id),
  constraint webhook_endpoints_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])))
);
create table sso.webhook_events (
  event_id uuid not null,
  fact_id uuid,
  site_id uuid not null,
  subject_user_id uuid,
  event_type text not null,
  body bytea,
  erased_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint webhook_events_pkey PRIMARY KEY (event_id),
  constraint webhook_events_once_per_site UNIQUE (fact_id, site_id),
  constraint webhook_events_site_id_fkey FOREIGN KEY (site_id) REFERENCES sso.sites(site_id) ON DELETE CASCADE,
  constraint webhook_events_blank_is_erased CHECK (((body IS NOT NULL) OR (erased_at IS NOT NULL)))
);
create table sso.webhook_facts (
  fact_id uuid not null,
  event_type text not null,
  environment text not null,
  subject_user_id uuid,
  site_ids uuid[],
  origin_site_id uuid,
  data json,
  data_public json,
  erased_at timestamp(3) with time zone,
  occurred_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint webhook_facts_pkey PRIMARY KEY (fact_id),
  constraint webhook_facts_environment_check CHECK ((environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
) with (fillfactor=80);
create table sso.webhook_hosts (
  host text not null,
  free_at timestamp with time zone not null,
  granted integer not null,
  constraint webhook_hosts_pkey PRIMARY KEY (host)
) with (fillfactor=50);

CREATE INDEX collection_ancestors_below ON collections.collection_ancestors USING btree (ancestor_id, distance) INCLUDE (descendant_id, counts, tenant_id);
CREATE UNIQUE INDEX collection_ancestors_tenant_key ON collections.collection_ancestors USING btree (tenant_id, descendant_id, ancestor_id) INCLUDE (distance);
CREATE INDEX collection_changes_by_person ON collections.collection_changes USING btree (user_id, tenant_id, xid) WHERE (user_id IS NOT NULL);
CREATE INDEX collection_items_by_item ON collections.collection_items USING btree (item_id);
CREATE INDEX collection_items_in_order ON collections.collection_items USING btree (collection_id, added_at DESC, item_id DESC) INCLUDE (tenant_id);
CREATE UNIQUE INDEX collection_items_tenant_key ON collections.collection_items USING btree (tenant_id, collection_id, item_id);
CREATE INDEX collections_by_change ON collections.collections USING btree (tenant_id, updated_at DESC, id DESC);
CREATE UNIQUE INDEX collections_by_external_key ON collections.collections USING btree (root_id, external_key) WHERE (external_key IS NOT NULL);
CREATE INDEX collections_by_metadata ON collections.collections USING gin (metadata jsonb_path_ops);
CREATE INDEX collections_by_root ON collections.collections USING btree (root_id);
CREATE INDEX collections_by_word ON collections.collections USING gin (search);
CREATE INDEX collections_children ON collections.collections USING btree (parent_id) INCLUDE (id, inherit_members, tenant_id);
CREATE UNIQUE INDEX collections_tenant_external_key ON collections.collections USING btree (tenant_id, root_id, external_key) WHERE (external_key IS NOT NULL);
CREATE UNIQUE INDEX collections_tenant_key ON collections.collections USING btree (tenant_id, id);
CREATE INDEX idempotency_keys_by_age ON collections.idempotency_keys USING btree (created_at);
CREATE INDEX item_changes_in_order ON collections.item_changes USING btree (tenant_id, xid, change_id);
CREATE INDEX item_keys_by_item ON collections.item_keys USING btree (item_id);
CREATE UNIQUE INDEX item_keys_tenant_key ON collections.item_keys USING btree (tenant_id, root_id, external_key);
CREATE INDEX items_by_change ON collections.items USING btree (tenant_id, updated_at, id);
CREATE INDEX items_by_creation ON collections.items USING btree (tenant_id, created_at, id);
CREATE INDEX items_by_metadata ON collections.items USING gin (metadata jsonb_path_ops);
CREATE INDEX items_by_name ON collections.items USING btree (tenant_id, name_folded, id);
CREATE INDEX items_by_word ON collections.items USING gin (search);
CREATE UNIQUE INDEX items_tenant_key ON collections.items USING btree (tenant_id, id);
CREATE INDEX jobs_by_expiry ON collections.jobs USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX jobs_by_tenant ON collections.jobs USING btree (tenant_id, created_at DESC, job_id DESC);
CREATE INDEX jobs_by_user ON collections.jobs USING btree (user_id, created_at DESC, job_id DESC);
CREATE UNIQUE INDEX jobs_doubles ON collections.jobs USING btree (user_id, file_sha256, options) WHERE (state = ANY (ARRAY['queued'::text, 'validating'::text, 'processing'::text]));
CREATE INDEX members_by_person ON collections.members USING btree (user_id, tenant_id, collection_id) INCLUDE (role);
CREATE INDEX members_leading ON collections.members USING btree (collection_id, tenant_id) WHERE (role = 'admin'::collections.role);
CREATE UNIQUE INDEX members_tenant_key ON collections.members USING btree (tenant_id, collection_id, user_id);
CREATE INDEX sessions_by_expiry ON collections.sessions USING btree (expires_at);
CREATE INDEX sessions_by_sso_session ON collections.sessions USING btree (sso_session_id);
CREATE INDEX sessions_by_user ON collections.sessions USING btree (user_id);
CREATE INDEX jobs_done_by_time ON foundation.jobs USING btree (finished_at, job_id) WHERE (state = 'done'::text);
CREATE INDEX jobs_due ON foundation.jobs USING btree (priority, run_at, job_id) WHERE (state = 'pending'::text);
CREATE INDEX jobs_failed ON foundation.jobs USING btree (kind, state, finished_at, job_id) WHERE (state = ANY (ARRAY['failed'::text, 'held'::text]));
CREATE INDEX activity_days_by_channel ON learning.activity_days USING btree (tenant_id, channel_id, day);
CREATE INDEX answers_of_question ON learning.posts USING btree (tenant_id, question_id, created_at, id);
CREATE UNIQUE INDEX attempts_by_client_id ON learning.attempts USING btree (tenant_id, test_id, user_id, client_id) WHERE (client_id IS NOT NULL);
CREATE UNIQUE INDEX attempts_open_once ON learning.attempts USING btree (tenant_id, test_id, user_id) WHERE (status = 'open'::text);
CREATE INDEX attempts_to_regrade ON learning.attempts USING btree (tenant_id, test_id, graded_version, id);
CREATE UNIQUE INDEX calendars_by_token ON learning.calendars USING btree (tenant_id, token_hash);
CREATE UNIQUE INDEX certificates_by_id ON learning.certificates USING btree (tenant_id, channel_id, certificate_id);
CREATE INDEX channel_editors_by_channel ON learning.channel_editors USING btree (tenant_id, channel_id);
CREATE INDEX channel_editors_own ON learning.channel_editors USING btree (tenant_id, user_id, created_at DESC, channel_id DESC);
CREATE INDEX channel_editors_unlisted ON learning.channel_editors USING btree (tenant_id, user_id, created_at DESC, channel_id DESC) WHERE is_unlisted;
CREATE INDEX channels_by_category ON learning.channels USING btree (tenant_id, category, created_at DESC, id DESC) INCLUDE (is_listed) WHERE (deleted_at IS NULL);
CREATE INDEX channels_by_change ON learning.channels USING btree (tenant_id, updated_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX channels_by_external_id ON learning.channels USING btree (tenant_id, owner_id, external_id) WHERE ((deleted_at IS NULL) AND (external_id IS NOT NULL));
CREATE INDEX channels_by_language ON learning.channels USING btree (tenant_id, language, created_at DESC, id DESC) INCLUDE (is_listed) WHERE (deleted_at IS NULL);
CREATE INDEX channels_by_learners ON learning.enrollment_counts USING btree (tenant_id, learners DESC, channel_id DESC) WHERE (learners > 0);
CREATE INDEX channels_by_level ON learning.channels USING btree (tenant_id, level, created_at DESC, id DESC) INCLUDE (is_listed) WHERE (deleted_at IS NULL);
CREATE INDEX channels_by_status ON learning.channels USING btree (tenant_id, status, created_at DESC, id DESC) INCLUDE (is_listed) WHERE (deleted_at IS NULL);
CREATE INDEX channels_by_tag ON learning.channels USING gin (tags) WHERE (deleted_at IS NULL);
CREATE INDEX channels_by_title ON learning.channels USING btree (tenant_id, foundation.fold(title), id) INCLUDE (is_listed) WHERE (deleted_at IS NULL);
CREATE INDEX channels_by_word ON learning.channels USING gin (search) WHERE (deleted_at IS NULL);
CREATE INDEX channels_deleted ON learning.channels USING btree (tenant_id, id) WHERE (deleted_at IS NOT NULL);
CREATE INDEX channels_listed ON learning.channels USING btree (tenant_id, created_at DESC, id DESC) WHERE is_listed;
CREATE INDEX channels_live ON learning.channels USING btree (tenant_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX deadlines_by_end ON learning.deadlines USING btree (tenant_id, until);
CREATE INDEX deadlines_by_person ON learning.deadlines USING btree (tenant_id, user_id, work_id);
CREATE INDEX enrollments_by_channel ON learning.enrollments USING btree (tenant_id, channel_id, user_id);
CREATE INDEX episode_changes_by_person ON learning.episode_changes USING btree (tenant_id, changed_by);
CREATE INDEX episodes_live_in_order ON learning.episodes USING btree (tenant_id, channel_id, "position", id) WHERE (deleted_at IS NULL);
CREATE INDEX episodes_to_announce ON learning.episodes USING btree (tenant_id, id) WHERE ((announced_at IS NULL) AND (deleted_at IS NULL) AND (status = 'published'::text));
CREATE INDEX extra_attempts_by_person ON learning.extra_attempts USING btree (tenant_id, user_id, test_id);
CREATE INDEX files_by_channel ON learning.files USING btree (tenant_id, channel_id, user_id);
CREATE INDEX files_by_check ON learning.files USING btree (tenant_id, checked_at, id);
CREATE INDEX files_by_person ON learning.files USING btree (tenant_id, user_id);
CREATE INDEX homework_by_due ON learning.homework USING btree (tenant_id, due_at) WHERE ((deleted_at IS NULL) AND (status = 'published'::text));
CREATE INDEX homework_live_in_order ON learning.homework USING btree (tenant_id, episode_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX letters_by_sender ON learning.letters USING btree (tenant_id, sender_id, created_at);
CREATE INDEX letters_by_user ON learning.letters USING btree (tenant_id, user_id);
CREATE INDEX letters_done ON learning.letters USING btree (tenant_id, done_at);
CREATE UNIQUE INDEX notes_by_client ON learning.notes USING btree (tenant_id, user_id, client_id) WHERE (client_id IS NOT NULL);
CREATE INDEX notes_by_episode ON learning.notes USING btree (tenant_id, episode_id, user_id);
CREATE INDEX notes_by_time ON learning.notes USING btree (tenant_id, user_id, created_at, id);
CREATE INDEX notifications_by_age ON learning.notifications USING btree (tenant_id, created_at);
CREATE INDEX notifications_by_channel ON learning.notifications USING btree (tenant_id, channel_id);
CREATE INDEX notifications_by_time ON learning.notifications USING btree (tenant_id, user_id, created_at, id);
CREATE UNIQUE INDEX notifications_once ON learning.notifications USING btree (tenant_id, user_id, kind, target_id) WHERE (kind = ANY (ARRAY['due'::text, 'episode'::text]));
CREATE INDEX notifications_to_mail ON learning.notifications USING btree (tenant_id, created_at, id) WHERE is_to_mail;
CREATE UNIQUE INDEX posts_by_client ON learning.posts USING btree (tenant_id, user_id, client_id) WHERE (client_id IS NOT NULL);
CREATE INDEX posts_by_person ON learning.posts USING btree (tenant_id, user_id, created_at);
CREATE INDEX progress_by_episode ON learning.progress USING btree (tenant_id, episode_id, user_id);
CREATE INDEX questions_in_order ON learning.questions USING btree (tenant_id, test_id, "position", id);
CREATE INDEX questions_of_episode ON learning.posts USING btree (tenant_id, episode_id, created_at, id) WHERE (question_id IS NULL);
CREATE INDEX reset_attempts_by_person ON learning.reset_attempts USING btree (tenant_id, user_id, id);
CREATE INDEX search_entries_by_word ON learning.search_entries USING gin (words) WITH (gin_pending_list_limit='256');
CREATE UNIQUE INDEX submissions_current ON learning.submissions USING btree (tenant_id, homework_id, user_id) WHERE is_current;
CREATE INDEX submissions_queue ON learning.submissions USING btree (tenant_id, homework_id, ((status = 'submitted'::text)) DESC, submitted_at DESC, id DESC) WHERE is_current;
CREATE INDEX suggestions_by_channel ON learning.suggestions USING btree (tenant_id, channel_id, created_at DESC, id DESC);
CREATE INDEX suggestions_by_kind ON learning.suggestions USING btree (tenant_id, kind, created_at DESC, id DESC) INCLUDE (channel_id);
CREATE INDEX suggestions_by_status ON learning.suggestions USING btree (tenant_id, status, created_at DESC, id DESC) INCLUDE (agent_type, channel_id);
CREATE INDEX suggestions_in_order ON learning.suggestions USING btree (tenant_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX suggestions_open ON learning.suggestions USING btree (tenant_id, fingerprint) WHERE (status = ANY (ARRAY['pending'::text, 'approved'::text]));
CREATE INDEX suggestions_rejected ON learning.suggestions USING btree (tenant_id, fingerprint, reviewed_at) WHERE (status = 'rejected'::text);
CREATE INDEX tests_by_close ON learning.tests USING btree (tenant_id, closes_at) WHERE ((deleted_at IS NULL) AND (status = 'published'::text));
CREATE INDEX tests_live_in_order ON learning.tests USING btree (tenant_id, episode_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX audit_counts_by_environment ON sso.audit_counts USING btree (environment, action);
CREATE INDEX audit_log_by_action ON ONLY sso.audit_log USING btree (site_id, action, occurred_at DESC, audit_id DESC);
CREATE INDEX audit_log_by_actor ON ONLY sso.audit_log USING btree (actor_user_id) WHERE (actor_user_id IS NOT NULL);
CREATE INDEX audit_log_by_environment ON ONLY sso.audit_log USING btree (environment, occurred_at DESC, audit_id DESC);
CREATE INDEX audit_log_by_site ON ONLY sso.audit_log USING btree (site_id, occurred_at DESC, audit_id DESC);
CREATE INDEX audit_log_by_subject ON ONLY sso.audit_log USING btree (subject_user_id, occurred_at DESC, audit_id DESC) WHERE (subject_user_id IS NOT NULL);
CREATE INDEX billing_ledger_with_address ON sso.billing_ledger USING btree (month, user_id) WHERE (email_hmac IS NOT NULL);
CREATE INDEX bulk_jobs_by_end ON sso.bulk_jobs USING btree (finished_at, job_id) WHERE (finished_at IS NOT NULL);
CREATE INDEX bulk_jobs_newest ON sso.bulk_jobs USING btree (site_id, created_at DESC, job_id DESC);
CREATE UNIQUE INDEX bulk_jobs_one_at_a_time ON sso.bulk_jobs USING btree (site_id) WHERE (is_due AND (finished_at IS NULL));
CREATE INDEX bulk_jobs_unfinished ON sso.bulk_jobs USING btree (site_id, created_at, job_id) WHERE (finished_at IS NULL);
CREATE INDEX connection_claims_expired ON sso.connection_claims USING btree (expires_at, connection_id);
CREATE INDEX connection_domains_by_connection ON sso.connection_domains USING btree (connection_id, domain);
CREATE INDEX connection_keys_by_connection ON sso.connection_keys USING btree (connection_id, created_at DESC, key_id);
CREATE INDEX connection_keys_by_end ON sso.connection_keys USING btree (ends_at) WHERE (ends_at IS NOT NULL);
CREATE UNIQUE INDEX connection_keys_current ON sso.connection_keys USING btree (connection_id) WHERE (ends_at IS NULL);
CREATE INDEX connection_messages_by_end ON sso.connection_messages USING btree (expires_at);
CREATE INDEX connections_by_site ON sso.connections USING btree (site_id, created_at, connection_id);
CREATE INDEX consents_by_site ON sso.consents USING btree (site_id);
CREATE INDEX email_changes_by_end ON sso.email_changes USING btree (COALESCE(undo_until, expires_at), change_id);
CREATE INDEX email_changes_by_user ON sso.email_changes USING btree (user_id, asked_at, change_id);
CREATE INDEX email_changes_held ON sso.email_changes USING btree (environment, old_fold) WHERE (done_at IS NOT NULL);
CREATE UNIQUE INDEX email_changes_waiting ON sso.email_changes USING btree (user_id) WHERE (done_at IS NULL);
CREATE INDEX email_claims_by_tenant ON sso.email_claims USING btree (tenant_id);
CREATE INDEX erasure_sites_by_user ON sso.erasure_sites USING btree (user_id);
CREATE INDEX identities_by_user ON sso.identities USING btree (user_id);
CREATE INDEX identity_sign_ins_by_identity ON sso.identity_sign_ins USING btree (identity_id, created_at);
CREATE INDEX memberships_by_role ON sso.memberships USING btree (site_id, role, user_id);
CREATE INDEX memberships_newest ON sso.memberships USING btree (site_id, user_created_at DESC, user_id DESC);
CREATE INDEX messages_by_recipient ON sso.messages USING btree (lower(recipient), message_id);
CREATE INDEX messages_by_site ON sso.messages USING btree (site_id, message_id);
CREATE INDEX messages_by_time ON sso.messages USING btree (environment, created_at, message_id) WHERE (status <> 'queued'::text);
CREATE INDEX messages_by_user ON sso.messages USING btree (user_id, kind, created_at);
CREATE INDEX messages_failed ON sso.messages USING btree (message_id) WHERE (status = 'failed'::text);
CREATE INDEX messages_logged_by_site ON sso.messages USING btree (site_id, created_at DESC, message_id DESC) WHERE (status = 'logged'::text);
CREATE INDEX messages_queued ON sso.messages USING btree (created_at, message_id) WHERE (status = 'queued'::text);
CREATE INDEX mfa_challenges_by_end ON sso.mfa_challenges USING btree (expires_at, token_hash);
CREATE INDEX mfa_challenges_by_session ON sso.mfa_challenges USING btree (session_id) WHERE (session_id IS NOT NULL);
CREATE INDEX mfa_challenges_by_user ON sso.mfa_challenges USING btree (user_id);
CREATE UNIQUE INDEX mfa_factors_by_credential ON sso.mfa_factors USING btree (credential_id) WHERE (credential_id IS NOT NULL);
CREATE INDEX mfa_factors_by_user ON sso.mfa_factors USING btree (user_id, created_at, factor_id);
CREATE UNIQUE INDEX mfa_factors_one_email ON sso.mfa_factors USING btree (user_id) WHERE ((type = 'email'::text) AND (activated_at IS NOT NULL));
CREATE UNIQUE INDEX mfa_factors_one_sms ON sso.mfa_factors USING btree (user_id) WHERE ((type = 'sms'::text) AND (activated_at IS NOT NULL));
CREATE INDEX mfa_factors_unfinished ON sso.mfa_factors USING btree (created_at, factor_id) WHERE (activated_at IS NULL);
CREATE INDEX one_time_tokens_by_end ON sso.one_time_tokens USING btree (expires_at);
CREATE INDEX one_time_tokens_by_user ON sso.one_time_tokens USING btree (user_id, purpose) WHERE (spent_at IS NULL);
CREATE UNIQUE INDEX openid_clients_by_session ON sso.openid_clients USING btree (client_session);
CREATE INDEX openid_codes_by_age ON sso.openid_codes USING btree (created_at);
CREATE INDEX openid_codes_by_session ON sso.openid_codes USING btree (session_id);
CREATE INDEX openid_codes_by_site ON sso.openid_codes USING btree (site_id);
CREATE INDEX orders_by_plan ON sso.orders USING btree (site_id, fulfilled_at DESC, order_id DESC) WHERE ((kind = 'plan'::text) AND (status = 'fulfilled'::text));
CREATE INDEX orders_by_site ON sso.orders USING btree (site_id, created_at DESC, order_id DESC);
CREATE INDEX orders_newest ON sso.orders USING btree (created_at DESC, order_id DESC);
CREATE UNIQUE INDEX orders_one_a_month ON sso.orders USING btree (site_id, period_start) WHERE (kind = 'registration_usage'::text);
CREATE INDEX orders_to_close ON sso.orders USING btree (period_end, order_id) WHERE ((kind = 'registration_usage'::text) AND (closed_at IS NULL));
CREATE INDEX payment_events_by_order ON sso.payment_events USING btree (order_id, received_at) WHERE (order_id IS NOT NULL);
CREATE INDEX payment_events_by_time ON sso.payment_events USING btree (received_at, event_id);
CREATE INDEX proven_sign_ins_by_end ON sso.proven_sign_ins USING btree (expires_at);
CREATE INDEX proven_sign_ins_by_site ON sso.proven_sign_ins USING btree (site_id);
CREATE INDEX proven_sign_ins_by_user ON sso.proven_sign_ins USING btree (user_id);
CREATE INDEX refresh_tokens_by_end ON sso.refresh_tokens USING btree (expires_at, token_hash);
CREATE INDEX refresh_tokens_with_answer ON sso.refresh_tokens USING btree (token_hash) WHERE (response_enc IS NOT NULL);
CREATE UNIQUE INDEX roles_one_default ON sso.roles USING btree (site_id) WHERE is_default;
CREATE INDEX scim_members_by_user ON sso.scim_members USING btree (connection_id, user_id, group_id);
CREATE INDEX scim_tokens_by_connection ON sso.scim_tokens USING btree (connection_id, created_at, token_id);
CREATE INDEX scim_users_by_user ON sso.scim_users USING btree (user_id);
CREATE INDEX scim_users_in_order ON sso.scim_users USING btree (connection_id, created_at, user_id);
CREATE INDEX session_bumps_by_time ON sso.session_bumps USING btree (revoked_at);
CREATE INDEX sessions_by_site ON sso.sessions USING btree (site_id, session_id);
CREATE INDEX sessions_by_user ON sso.sessions USING btree (user_id, created_at DESC, session_id DESC);
CREATE INDEX sign_in_attempts_by_connection ON sso.sign_in_attempts USING btree (connection_id);
CREATE INDEX sign_in_attempts_by_end ON sso.sign_in_attempts USING btree (expires_at);
CREATE INDEX sign_in_codes_by_end ON sso.sign_in_codes USING btree (expires_at);
CREATE INDEX sign_in_codes_by_session ON sso.sign_in_codes USING btree (session_id);
CREATE UNIQUE INDEX signing_keys_one_active ON sso.signing_keys USING btree (environment, purpose) WHERE (state = 'active'::text);
CREATE UNIQUE INDEX signing_keys_one_standby ON sso.signing_keys USING btree (environment, purpose) WHERE (state = 'standby'::text);
CREATE UNIQUE INDEX site_keys_by_hint ON sso.site_keys USING btree (site_id, hint) WHERE (revoked_at IS NULL);
CREATE INDEX site_keys_live_by_site ON sso.site_keys USING btree (site_id, created_at) WHERE (revoked_at IS NULL);
CREATE INDEX sites_by_founder ON sso.sites USING btree (created_by) WHERE ((created_by IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX sites_by_tenant ON sso.sites USING btree (tenant_id, site_id);
CREATE INDEX sites_pending ON sso.sites USING btree (created_at, site_id) WHERE ((status = 'pending'::text) AND (deleted_at IS NULL));
CREATE INDEX sms_sent_by_time ON sso.sms_sent USING btree ((sent_at[1]), counted_hmac);
CREATE INDEX spent_challenges_by_end ON sso.spent_challenges USING btree (expires_at, challenge_hash);
CREATE INDEX tenants_by_founder ON sso.tenants USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE UNIQUE INDEX users_by_email ON sso.users USING btree (environment, email_fold) WHERE (status <> 'deleted'::text);
CREATE INDEX users_by_name ON sso.users USING btree (environment, display_name_fold, user_id) WHERE (status <> 'deleted'::text);
CREATE UNIQUE INDEX users_by_username ON sso.users USING btree (environment, username_fold) WHERE (status <> 'deleted'::text);
CREATE INDEX users_by_word ON sso.users USING gin (search) WITH (fastupdate=off) WHERE (status <> 'deleted'::text);
CREATE INDEX users_newest ON sso.users USING btree (environment, created_at DESC, user_id DESC) WHERE (status <> 'deleted'::text);
CREATE INDEX users_of_sandbox_by_age ON sso.users USING btree (created_at, user_id) WHERE (environment = 'sandbox'::text);
CREATE INDEX webhook_deliveries_by_endpoint ON sso.webhook_deliveries USING btree (webhook_id, created_at DESC, delivery_id DESC);
CREATE INDEX webhook_deliveries_by_site ON sso.webhook_deliveries USING btree (site_id, created_at DESC, delivery_id DESC);
CREATE INDEX webhook_deliveries_due ON sso.webhook_deliveries USING btree (priority, next_attempt_at, delivery_id) WHERE (state = 'pending'::text);
CREATE INDEX webhook_deliveries_due_by_endpoint ON sso.webhook_deliveries USING btree (webhook_id, priority, next_attempt_at, delivery_id) WHERE (state = 'pending'::text);
CREATE INDEX webhook_deliveries_failed ON sso.webhook_deliveries USING btree (delivery_id) WHERE (state = 'failed'::text);
CREATE UNIQUE INDEX webhook_endpoints_by_url ON sso.webhook_endpoints USING btree (site_id, url) WHERE (deleted_at IS NULL);
CREATE INDEX webhook_endpoints_failing ON sso.webhook_endpoints USING btree (webhook_id) WHERE (consecutive_failures >= 3);
CREATE INDEX webhook_endpoints_of_all_sites ON sso.webhook_endpoints USING btree (site_id) WHERE (all_sites AND (deleted_at IS NULL));
CREATE INDEX webhook_events_by_subject ON sso.webhook_events USING btree (subject_user_id) WHERE (erased_at IS NULL);
CREATE INDEX webhook_events_by_time ON sso.webhook_events USING btree (created_at, event_id);
CREATE INDEX webhook_facts_told ON sso.webhook_facts USING btree (occurred_at, fact_id) WHERE (data IS NULL);
CREATE INDEX webhook_facts_waiting_by_subject ON sso.webhook_facts USING btree (subject_user_id) WHERE (data IS NOT NULL);

CREATE TRIGGER lines_added AFTER INSERT ON collections.collection_ancestors REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION collections.lines_added();
CREATE TRIGGER lines_removed AFTER DELETE ON collections.collection_ancestors REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION collections.lines_removed();
CREATE TRIGGER tenant_filled BEFORE INSERT ON collections.collection_ancestors FOR EACH ROW WHEN ((new.tenant_id IS NULL)) EXECUTE FUNCTION collections.tenant_filled('descendant_id');
CREATE TRIGGER tenant_filled BEFORE INSERT ON collections.collection_items FOR EACH ROW WHEN ((new.tenant_id IS NULL)) EXECUTE FUNCTION collections.tenant_filled('collection_id');
CREATE TRIGGER collections_changed AFTER UPDATE ON collections.collections REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION collections.collections_changed();
CREATE TRIGGER tenant_filled BEFORE INSERT ON collections.item_keys FOR EACH ROW WHEN ((new.tenant_id IS NULL)) EXECUTE FUNCTION collections.tenant_filled('root_id');
CREATE TRIGGER members_added AFTER INSERT ON collections.members REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION collections.members_added();
CREATE TRIGGER members_changed AFTER UPDATE ON collections.members REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION collections.members_changed();
CREATE TRIGGER members_removed AFTER DELETE ON collections.members REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION collections.members_removed();
CREATE TRIGGER tenant_filled BEFORE INSERT ON collections.members FOR EACH ROW WHEN ((new.tenant_id IS NULL)) EXECUTE FUNCTION collections.tenant_filled('collection_id');
CREATE TRIGGER channels_made AFTER INSERT ON learning.channels REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION learning.channels_made();
CREATE TRIGGER search_added AFTER INSERT ON learning.channels FOR EACH ROW EXECUTE FUNCTION learning.search_changed('channel');
CREATE TRIGGER search_changed AFTER UPDATE OF title, description, category, tags ON learning.channels FOR EACH ROW WHEN (((((old.title IS DISTINCT FROM new.title) OR (old.description IS DISTINCT FROM new.description)) OR (old.category IS DISTINCT FROM new.category)) OR (old.tags IS DISTINCT FROM new.tags))) EXECUTE FUNCTION learning.search_changed('channel');
CREATE TRIGGER search_deleted AFTER UPDATE OF deleted_at ON learning.channels FOR EACH ROW WHEN (((old.deleted_at IS NULL) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION learning.search_changed('gone');
CREATE TRIGGER search_removed AFTER DELETE ON learning.channels FOR EACH ROW EXECUTE FUNCTION learning.search_changed('gone');
CREATE TRIGGER enrollments_added AFTER INSERT ON learning.enrollments REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION learning.enrollments_added();
CREATE TRIGGER search_added AFTER INSERT ON learning.episodes FOR EACH ROW EXECUTE FUNCTION learning.search_changed('episode');
CREATE TRIGGER search_changed AFTER UPDATE OF title, description, authors ON learning.episodes FOR EACH ROW WHEN ((((old.title IS DISTINCT FROM new.title) OR (old.description IS DISTINCT FROM new.description)) OR (old.authors IS DISTINCT FROM new.authors))) EXECUTE FUNCTION learning.search_changed('episode');
CREATE TRIGGER search_moved AFTER UPDATE OF channel_id, deleted_at ON learning.episodes FOR EACH ROW WHEN (((old.channel_id IS DISTINCT FROM new.channel_id) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION learning.search_changed('moved');
CREATE TRIGGER search_removed AFTER DELETE ON learning.episodes FOR EACH ROW EXECUTE FUNCTION learning.search_changed('lost');
CREATE TRIGGER search_added AFTER INSERT ON learning.videos FOR EACH ROW WHEN (((new.chapters <> '[]'::jsonb) OR (new.transcript <> ''::text))) EXECUTE FUNCTION learning.search_changed('video');
CREATE TRIGGER search_changed AFTER UPDATE OF chapters, transcript ON learning.videos FOR EACH ROW WHEN (((old.chapters IS DISTINCT FROM new.chapters) OR (old.transcript IS DISTINCT FROM new.transcript))) EXECUTE FUNCTION learning.search_changed('video');
CREATE TRIGGER audit_removed AFTER DELETE ON sso.audit_log REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sso.count_audit();
CREATE TRIGGER audit_written AFTER INSERT ON sso.audit_log REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sso.count_audit();
CREATE TRIGGER member_joins BEFORE INSERT ON sso.memberships FOR EACH ROW EXECUTE FUNCTION sso.member_joins();
CREATE TRIGGER members_added AFTER INSERT ON sso.memberships REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sso.count_members();
CREATE TRIGGER members_removed AFTER DELETE ON sso.memberships REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sso.count_members();
CREATE TRIGGER session_version_rose AFTER UPDATE OF session_version ON sso.users FOR EACH ROW WHEN ((old.session_version < new.session_version)) EXECUTE FUNCTION sso.session_version_rose();
