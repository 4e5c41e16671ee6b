import type { Database } from '#foundation/database/database.ts'

/** A provider needs two: discovery and keys. */
const MAX_DOCUMENTS = 4
/** Age up to which a document is used while its source is down (s). */
const STALE_SECONDS = 86_400

type Document = { body: string; is_fresh: boolean }

/** The last document read at a provider's address, if it is less than a day old. */
export async function findKept(
  { fast }: Database,
  connection_id: string,
  url: string,
  fresh_seconds: number,
): Promise<Document | undefined> {
  const [kept] = await fast<Document[]>`
    select body, fetched_at > statement_timestamp() - make_interval(secs => ${fresh_seconds}) as is_fresh
      from sso.connection_documents
     where connection_id = ${connection_id} and url = ${url}
       and fetched_at > statement_timestamp() - make_interval(secs => ${STALE_SECONDS})`
  return kept
}

/**
 * Stores nothing if the connection was deleted meanwhile. Keeps only the latest documents, because a provider that
 * names new addresses each time must not fill the database.
 */
export const keepDocument = ({ pool }: Database, connection_id: string, url: string, body: string) => pool`
  with kept as (
    insert into sso.connection_documents (connection_id, url, body)
    select connection_id, ${url}, ${body} from sso.connections where connection_id = ${connection_id}
    on conflict (connection_id, url) do update set body = excluded.body, fetched_at = clock_timestamp())
  delete from sso.connection_documents
   where connection_id = ${connection_id} and url <> ${url} and url not in (
     select url from sso.connection_documents where connection_id = ${connection_id}
      order by fetched_at desc, url limit ${MAX_DOCUMENTS - 1})`
