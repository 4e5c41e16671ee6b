import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database, Tx } from '#foundation/database/database.ts'
import { ApiError, conflict, unprocessable } from '#foundation/errors.ts'
import { sha256 } from '#foundation/security/secrets.ts'
import { visitorOf } from './identify.ts'

/** The answer of a POST. `body` matches the response schema; undefined means no body. */
export type Answer<Body = unknown> = { status: number; body?: Body; headers?: Record<string, string> }

type Terms<Body> = {
  /** The content that a repeated request must match: the body by default, hash and options for an upload. */
  content?: unknown
  /** Throws if the caller may no longer see the stored answer. */
  mayReplay?: (tx: Tx, body: Body) => Promise<unknown>
}

const KEY = /^[\x20-\x7e]{1,128}$/
/** The number of expired answers that one request deletes. */
const CLEARED = 100

/**
 * Runs a POST in a transaction. An `Idempotency-Key` stores the answer in it for 24 hours, per person and route; a
 * retry replays it. 422 `idempotency_mismatch`, 409 `idempotency_in_progress`. Refusals are stored, except 401, 429,
 * 5xx. An advisory lock guards the key, so it is free again however the call ends.
 */
export async function answerOnce<Body>(
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Tx) => Promise<Answer<Body>>,
  { content = request.body, mayReplay }: Terms<Body> = {},
): Promise<Body> {
  const key = request.headers['idempotency-key']
  if (key === undefined) return send(reply, await db.transaction(work))
  if (typeof key !== 'string' || !KEY.test(key))
    throw unprocessable('Idempotency-Key', 'pattern', 'must be 1 to 128 printable ASCII characters')
  const { user_id } = visitorOf(request)
  const call: Call = {
    user_id,
    route: `${request.method} ${request.routeOptions.url}`,
    key,
    request_hash: sha256(JSON.stringify([request.url, content ?? null])),
  }
  try {
    const { isReplayed, answer } = await db.transaction(async (tx) => {
      const kept = await claim(tx, call)
      if (kept) {
        // Rights are checked again, so that a removed member does not get the old answer.
        if (kept.status < 400) await mayReplay?.(tx, kept.body as Body)
        return { isReplayed: true, answer: kept as Answer<Body> }
      }
      const made = await work(tx)
      await keep(tx, call, made)
      return { isReplayed: false, answer: made }
    })
    if (isReplayed) reply.header('Idempotency-Replayed', 'true')
    // A stored refusal is sent again as it was.
    if (answer.status >= 400) throw refusalOf(answer)
    return send(reply, answer)
  } catch (error) {
    if (error instanceof ApiError && isKept(error) && !reply.hasHeader('Idempotency-Replayed'))
      await db.transaction(async (tx) => {
        if (!(await claim(tx, call))) await keep(tx, call, answerOf(error))
      })
    throw error
  }
}

type Call = { user_id: string; route: string; key: string; request_hash: Buffer }

/** Errors about the key itself, not answers of the work, so they are not stored. */
const OWN = ['idempotency_mismatch', 'idempotency_in_progress']
const isKept = ({ status, code }: ApiError) =>
  status >= 400 && status < 500 && status !== 401 && status !== 429 && !OWN.includes(code)

/** Locks the key for this transaction. Returns its stored answer, if any. */
async function claim(tx: Tx, { user_id, route, key, request_hash }: Call): Promise<Answer | undefined> {
  const [lock] = await tx<{ is_free: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${user_id} ${route} ${key}`}, 1)) as is_free`
  if (!lock?.is_free)
    throw conflict('idempotency_in_progress', 'The first request with this Idempotency-Key is still running')
  const [kept] = await tx<
    { request_hash: Buffer; status: number; headers: Record<string, string>; body: string | null }[]
  >`
    select request_hash, status, headers, body from collections.idempotency_keys
     where user_id = ${user_id} and route = ${route} and key = ${key}
       and created_at > clock_timestamp() - interval '24 hours'`
  if (!kept) return undefined
  const { status, headers, body } = kept
  if (!kept.request_hash.equals(request_hash))
    throw new ApiError(422, 'idempotency_mismatch', 'This Idempotency-Key was used for another request')
  return { status, headers, ...(body !== null && { body: JSON.parse(body) as unknown }) }
}

async function keep(tx: Tx, { user_id, route, key, request_hash }: Call, answer: Answer) {
  const { status, headers = {} } = answer
  const body = answer.body === undefined ? null : JSON.stringify(answer.body)
  await tx`
    delete from collections.idempotency_keys where (user_id, route, key) in (
      select user_id, route, key from collections.idempotency_keys
       where created_at < statement_timestamp() - interval '24 hours'
       order by created_at limit ${CLEARED} for update skip locked)`
  await tx`
    insert into collections.idempotency_keys (user_id, route, key, request_hash, status, headers, body)
    values (${user_id}, ${route}, ${key}, ${request_hash}, ${status}, ${tx.json(headers)}, ${body})
    on conflict (user_id, route, key) do update
      set request_hash = excluded.request_hash, status = excluded.status, headers = excluded.headers,
          body = excluded.body, created_at = clock_timestamp()`
}

function send<Body>(reply: FastifyReply, { status, body, headers = {} }: Answer<Body>): Body {
  reply.code(status).headers(headers)
  return body as Body
}

const answerOf = ({ status, code, detail, headers, errors }: ApiError): Answer => ({
  status,
  headers,
  body: { code, detail, errors },
})

function refusalOf({ status, headers = {}, body }: Answer): ApiError {
  const { code, detail, errors } = body as Pick<ApiError, 'code' | 'detail' | 'errors'>
  return new ApiError(status, code, detail, { headers, errors })
}
