-- What people find: one entry for each channel (place -1), episode (0), chapter (1 to 100) and piece of a transcript (from
-- 1001). Triggers keep it, because the release before this one writes channels and episodes as well
-- (docs/decisions/search-by-entries.md).
create table learning.search_entries (
  tenant_id   text not null,
  id          uuid not null, -- of the channel or the episode
  place       int not null,
  channel_id  uuid not null,
  seconds     numeric,       -- where in the video a chapter or a piece of the transcript begins
  text        text not null, -- of a chapter or a piece of the transcript
  size        int not null,  -- words of the title
  words       tsvector not null,
  primary key (tenant_id, id, place)
);

-- Which entries hold these words? A short pending list, because every search reads all of it.
create index search_entries_by_word on learning.search_entries using gin (words) with (gin_pending_list_limit = 256);

-- What is left of a word without one of its letters. Two words that share a rest, or of which one is a rest of the other,
-- differ by one letter that is missing, added or another, or by two that are exchanged.
create function learning.rests(word text) returns text[]
  language sql immutable strict parallel safe
  return case when char_length(word) between 4 and 24 and word !~ '^\d+$'
              then array(select distinct left(word, n - 1) || substr(word, n + 1)
                           from generate_series(1, char_length(word)) as n) end;

-- The words of an entry, of its title with weight A, of its people or tags with B, of the rest with D. Beside them stand
-- marks, which no word is equal to: @tenant and #channel, so that the index alone leaves out those of others; =word for
-- each word of a name, and ~rest for each of its rests.
create function learning.search_vector(tenant text, channel uuid, title text, names text, body text) returns tsvector
  language sql immutable parallel safe
  begin atomic
    with placed as materialized (
      select word, weight, row_number() over (order by weight, n) as n
        from (select word, n, 'A' as weight from unnest(string_to_array(foundation.words(title), ' ')) with ordinality as a (word, n)
              union all
              select word, n, 'B' from unnest(string_to_array(foundation.words(names), ' ')) with ordinality as b (word, n)
              union all
              select word, n, 'D' from unnest(string_to_array(foundation.words(body), ' ')) with ordinality as d (word, n)) as every),
    named as (select distinct word from placed where weight <> 'D')
    select coalesce((select string_agg(word || ':' || least(n, 16383) || weight, ' ') from placed), '')::tsvector
           || array_to_tsvector(array['@' || tenant, '#' || channel] || array(select '=' || word from named)
                                || array(select distinct '~' || rest from named, unnest(learning.rests(word)) as rest));
  end;

-- What a person asks for: all words must occur, the last may be unfinished from three letters on. `way` is `any`, `name`
-- (all in names), `near` (also one letter apart), or without the marks of tenant and channel `title` and `rank`. Null
-- without a word. Words hold only letters and digits, so they are not escaped.
create function learning.search_query(tenant text, channel uuid, asked text, way text) returns tsquery
  language plpgsql immutable parallel safe as $$
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
end $$;

-- Pieces of 30 words, each with the first ten of the next, so that words side by side are found together. A line that begins
-- with a time (1:02:03, [02:03], 00:02:03.400 --> …) says when it and what follows is spoken.
create function learning.pieces_of(transcript text) returns table (piece int, seconds numeric, text text)
  language sql immutable parallel safe
  begin atomic
    with lines as (
      select n, line, regexp_match(line, '^\s*[[(]?(?:(\d{1,2}):)?(\d{1,3}):(\d\d)(?:[.,]\d{1,3})?[])]?(?=[\s-]|$)') as clock
        from regexp_split_to_table(transcript, '\r\n|\r|\n') with ordinality as every (line, n)),
    timed as (
      select n, line, clock, coalesce(clock[1]::int, 0) * 3600 + clock[2]::int * 60 + clock[3]::int as seconds,
             count(clock) over (order by n) as cue
        from lines where line !~ '^\s*(WEBVTT.*|\d+)\s*$'),
    spoken as (
      select n, first_value(seconds) over (partition by cue order by n) as seconds,
             case when clock is null then line when line ~ '-->' then ''
                  else regexp_replace(line, '^\s*[[(]?[\d:.,]+[])]?', '') end as line
        from timed),
    words as (
      select (row_number() over (order by n, place) - 1)::int as place, seconds, found[1] as word
        from spoken, regexp_matches(line, '\S{1,60}', 'g') with ordinality as every (found, place)),
    pieces as (
      select place / 30 as piece, (array_agg(seconds order by place))[1] as seconds, string_agg(word, ' ' order by place) as text,
             string_agg(word, ' ' order by place) filter (where place % 30 < 10) as head
        from words group by place / 30)
    select piece, seconds, text || coalesce(' ' || lead(head) over (order by piece), '') from pieces;
  end;

create function learning.index_channel(tenant text, channel uuid) returns void
  language sql
  begin atomic
    delete from learning.search_entries s where s.tenant_id = tenant and s.id = channel and s.place = -1;
    insert into learning.search_entries (tenant_id, id, place, channel_id, text, size, words)
    select c.tenant_id, c.id, -1, c.id, '', cardinality(string_to_array(foundation.words(c.title), ' ')),
           learning.search_vector(c.tenant_id, c.id, c.title, concat_ws(' ', c.category, array_to_string(c.tags, ' ')), c.description)
      from learning.channels c where c.tenant_id = tenant and c.id = channel and c.deleted_at is null;
  end;

create function learning.index_episode(tenant text, episode uuid) returns void
  language sql
  begin atomic
    delete from learning.search_entries s where s.tenant_id = tenant and s.id = episode and s.place = 0;
    insert into learning.search_entries (tenant_id, id, place, channel_id, text, size, words)
    select e.tenant_id, e.id, 0, e.channel_id, '', cardinality(string_to_array(foundation.words(e.title), ' ')),
           learning.search_vector(e.tenant_id, e.channel_id, e.title, array_to_string(e.authors, ' '), e.description)
      from learning.episodes e where e.tenant_id = tenant and e.id = episode and e.deleted_at is null;
  end;

create function learning.index_video(tenant text, episode uuid) returns void
  language sql
  begin atomic
    delete from learning.search_entries s where s.tenant_id = tenant and s.id = episode and s.place > 0;
    insert into learning.search_entries (tenant_id, id, place, channel_id, seconds, text, size, words)
    select e.tenant_id, e.id, found.place, e.channel_id, found.seconds, found.text,
           cardinality(string_to_array(foundation.words(found.title), ' ')),
           learning.search_vector(e.tenant_id, e.channel_id, found.title, '', found.spoken)
      from learning.episodes e
      join learning.videos v on v.tenant_id = e.tenant_id and v.episode_id = e.id
      cross join lateral (
        select n::int as place, (chapter ->> 'start_seconds')::numeric as seconds, chapter ->> 'title' as text,
               chapter ->> 'title' as title, '' as spoken
          from jsonb_array_elements(v.chapters) with ordinality as every (chapter, n)
        union all
        select 1001 + piece, seconds, text, '', text from learning.pieces_of(v.transcript)) as found
     where e.tenant_id = tenant and e.id = episode and e.deleted_at is null;
  end;

-- Each trigger names what it was called for. Per row, because nearly every update changes no text, and a `when` says so
-- without a call.
create function learning.search_changed() returns trigger language plpgsql as $$
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
end $$;

create trigger search_added after insert on learning.channels
  for each row execute function learning.search_changed('channel');
create trigger search_changed after update of title, description, category, tags on learning.channels
  for each row when ((old.title, old.description, old.category, old.tags)
                     is distinct from (new.title, new.description, new.category, new.tags))
  execute function learning.search_changed('channel');
create trigger search_deleted after update of deleted_at on learning.channels
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function learning.search_changed('gone');
create trigger search_removed after delete on learning.channels
  for each row execute function learning.search_changed('gone');

create trigger search_added after insert on learning.episodes
  for each row execute function learning.search_changed('episode');
create trigger search_changed after update of title, description, authors on learning.episodes
  for each row when ((old.title, old.description, old.authors) is distinct from (new.title, new.description, new.authors))
  execute function learning.search_changed('episode');
create trigger search_moved after update of channel_id, deleted_at on learning.episodes
  for each row when ((old.channel_id, old.deleted_at) is distinct from (new.channel_id, new.deleted_at))
  execute function learning.search_changed('moved');
create trigger search_removed after delete on learning.episodes
  for each row execute function learning.search_changed('lost');

create trigger search_added after insert on learning.videos
  for each row when (new.chapters <> '[]' or new.transcript <> '') execute function learning.search_changed('video');
create trigger search_changed after update of chapters, transcript on learning.videos
  for each row when ((old.chapters, old.transcript) is distinct from (new.chapters, new.transcript))
  execute function learning.search_changed('video');

-- The entries of what is there already: twenty channels at a time, each locked as its editors lock it, so that no change
-- comes between the reading and the writing.
create function learning.fill_search(after text, most int, out last text, out changed bigint)
  language plpgsql as $$
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
end $$;

insert into foundation.backfills (step, expected)
select 'learning.fill_search', greatest(reltuples, 0)::bigint from pg_class
 where oid = 'learning.channels'::regclass and pg_relation_size(oid) > 0
on conflict do nothing;
