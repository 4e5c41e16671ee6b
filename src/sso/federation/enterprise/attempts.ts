import type { Database, Tx } from '#foundation/database/database.ts'
import { type MasterKeys, sha256 } from '#foundation/security/secrets.ts'

type Kind = 'oidc' | 'saml' | 'ticket'
type Which = {
  connection_id: string
  kind: Kind
  /** The value that the provider returns (for a ticket, our own page). Only its SHA-256 is stored. */
  state: string
}

/** Time that a visitor may take at the provider (s). */
export const ATTEMPT_SECONDS = 900
const TICKET_SECONDS = 120

/** Stores a sign-in in progress, sealed and bound to the browser it began in. */
export async function rememberAttempt(
  sql: Database['pool'] | Tx,
  keys: MasterKeys,
  { connection_id, kind, state, browser_hash, secret }: Which & { browser_hash: Buffer; secret: object },
): Promise<void> {
  const seconds = kind === 'ticket' ? TICKET_SECONDS : ATTEMPT_SECONDS
  const sealed = keys.seal(Buffer.from(JSON.stringify(secret)), aadOf({ connection_id, kind, state }))
  await sql`delete from sso.sign_in_attempts where expires_at <= statement_timestamp()`
  await sql`
    insert into sso.sign_in_attempts (state_hash, connection_id, kind, browser_hash, secret_enc, expires_at)
    values (${sha256(state)}, ${connection_id}, ${kind}, ${browser_hash}, ${sealed},
            clock_timestamp() + make_interval(secs => ${seconds}))`
}

export type Spent<T> = { secret: T; browser_hash: Buffer; created_at: string }

/**
 * Spends an attempt; only one presentation gets it. With `browser_hash` another browser gets nothing and does not spend
 * it.
 */
export async function spendAttempt<T>(
  sql: Database['pool'] | Tx,
  keys: MasterKeys,
  which: Which & { browser_hash?: Buffer },
): Promise<Spent<T> | undefined> {
  const { connection_id, kind, state, browser_hash } = which
  const [spent] = await sql<{ secret_enc: Buffer; browser_hash: Buffer; created_at: string }[]>`
    delete from sso.sign_in_attempts
     where state_hash = ${sha256(state)} and connection_id = ${connection_id} and kind = ${kind}
       and expires_at > clock_timestamp() and ${browser_hash === undefined ? sql`true` : sql`browser_hash = ${browser_hash}`}
    returning secret_enc, browser_hash, created_at`
  if (!spent) return undefined
  const { secret_enc, ...rest } = spent
  return { ...rest, secret: JSON.parse(keys.open(secret_enc, aadOf(which)).toString('utf8')) as T }
}

/**
 * Whether the attempt exists. Cheap, and spends nothing: it guards the expensive work that follows against strangers.
 */
export async function isUnderWay(
  { fast }: Database,
  { connection_id, kind, state }: Which,
): Promise<boolean> {
  const [found] = await fast`
    select from sso.sign_in_attempts
     where state_hash = ${sha256(state)} and connection_id = ${connection_id} and kind = ${kind}
       and expires_at > statement_timestamp()`
  return found !== undefined
}

const aadOf = ({ connection_id, kind, state }: Which) => `attempt ${connection_id} ${kind} ${state}`

type Message = { connection_id: string; message_id: string; seconds: number }

export async function isKnownMessage(
  sql: Database['pool'],
  { connection_id, message_id }: Omit<Message, 'seconds'>,
): Promise<boolean> {
  const [said] = await sql`
    select from sso.connection_messages
     where connection_id = ${connection_id} and message_id = ${sha256(message_id).toString('base64url')}`
  return said !== undefined
}

/** Records a message that a provider may send only once. False if it was sent before. */
export async function isFirst(
  sql: Database['pool'] | Tx,
  { connection_id, message_id, seconds }: Message,
): Promise<boolean> {
  await sql`delete from sso.connection_messages where expires_at <= statement_timestamp()`
  const [first] = await sql`
    insert into sso.connection_messages (connection_id, message_id, expires_at)
    values (${connection_id}, ${sha256(message_id).toString('base64url')},
            clock_timestamp() + make_interval(secs => ${seconds}))
    on conflict (connection_id, message_id) do nothing
    returning message_id`
  return first !== undefined
}
