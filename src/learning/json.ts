/** What a reply of any route can do. */
type Reply = { type(media_type: string): { send(payload: string): unknown } }

/** JSON text made by PostgreSQL leaves as it is; the tests of its slice hold it equal to the response schema. */
export function sendJson<R extends Reply>(reply: R, text: string | undefined): R {
  if (text === undefined) throw new Error('a row that was written in this transaction cannot be read')
  reply.type('application/json; charset=utf-8').send(text)
  return reply
}
