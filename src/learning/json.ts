/**
 * JSON text made by PostgreSQL leaves as it is. The tests of each slice hold its SQL equal to the response schema, which
 * is why the text may stand for any type here.
 */
export function jsonText(reply: { type(media_type: string): unknown }, text: string | undefined): never {
  if (text === undefined) throw new Error('what this transaction wrote cannot be read')
  reply.type('application/json; charset=utf-8')
  return text as never
}
