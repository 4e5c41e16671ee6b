import type { Tx } from '#foundation/database/database.ts'

/** What is filled, and for whom: the site whose lists grow, and the person whose own lists grow. */
export type Filling = {
  /** About so many rows in every large table; of people, where `channels` or `items` say otherwise. */
  rows: number
  channels?: number
  /** Episodes that somebody has begun. */
  progress?: number
  items?: number
  /** Events for webhooks, each with one delivery. */
  events?: number
  seed: number
  site_id: string
  tenant_id: string
  user_id: string
}

/**
 * Temporary functions of this connection that draw by number: the same seed gives the same rows. An `id` grows with its number,
 * as the ids of the program grow with time. `skewed` prefers small
 * numbers, as names and categories do: each doubling of the number is equally likely. Each is written so that PostgreSQL can put
 * it into the statement (`n::text`, because `text || bigint` is not immutable): a call would cost four times as much.
 */
export async function createWords(tx: Tx, seed: number): Promise<void> {
  await tx`select set_config('generate.seed', ${seed}::int::text, true)`
  await tx`
    do $$ begin
      execute format('create or replace function pg_temp.id(kind text, n bigint) returns uuid language sql immutable
        return (left(md5(%1$L || kind), 8) || lpad(to_hex(n), 8, ''0'') || left(md5(%1$L || kind || n::text), 16))::uuid',
        current_setting('generate.seed') || '/');
      execute format('create or replace function pg_temp.pick(n bigint, salt int, size int) returns int language sql immutable
        return ((hashint8extended(n, %1$s + salt) & 1073741823) %% size)::int', current_setting('generate.seed'));
      execute format('create or replace function pg_temp.skewed(n bigint, salt int, size int) returns int language sql immutable
        return least(size - 1, floor(power(size, (hashint8extended(n, %1$s + salt) & 1048575) / 1048576.0::float8))::int - 1)',
        current_setting('generate.seed'));
      create or replace function pg_temp.word(k int) returns text language sql immutable
        return translate(to_hex(4096 + k * 7919), '0123456789abcdef', 'bcdaeifghoklmnru');
    end $$`
}

/** So many words of a text as SQL, common ones more often: the first stands in one place of ten, as "the" does. */
export function phrase(tx: Tx, n: ReturnType<Tx>, salt: number, words: number) {
  const word = (i: number) => tx`pg_temp.word(pg_temp.skewed(${n} * 16 + ${i}::int, ${salt}::int, 20000))`
  return Array.from({ length: words - 1 }, (_, i) => i + 1).reduce(
    (text, i) => tx`${text} || ' ' || ${word(i)}`,
    tx`${word(0)}`,
  )
}
