import type { Static, TSchema } from 'typebox'
import { hostOf } from '#foundation/outbound/vetting.ts'
import type { openOutbound, OutboundPolicy } from '#foundation/outbound/outbound.ts'
import { compileValidator } from '#foundation/http/schema-compilers.ts'
import { findString, isCleanText } from '#foundation/text.ts'
import { firstObject } from './first-object.ts'

export type Server = { base_url: string; model: string; key: string | undefined }
export type Message = { role: 'system' | 'user' | 'assistant'; content: string }
/** A request for one answer; `name` holds only letters and underscores. */
export type Question<T extends TSchema> = { name: string; schema: T; system: string; text: string }
/**
 * Takes one call from the budget of the run. Returns the timeout of the call in ms, or undefined when the budget is
 * spent or the circuit breaker is open.
 */
export type Spend = () => number | undefined

/** Why there is no usable answer. The message may be shown: it holds no address, no key and no text of the server. */
export class ModelError extends Error {}

/** Response formats, the best first. Servers support different ones, so the last that worked is tried first. */
const FORMATS = ['json_schema', 'json_object', 'text'] as const
type Format = (typeof FORMATS)[number]

const MAX_BYTES = 256 * 1024

/** Asks an OpenAI-compatible server (chat completions) for JSON that matches a schema. */
export function openChat(server: Server, outbound: ReturnType<typeof openOutbound>) {
  const url = `${server.base_url}/chat/completions`
  // The operator configured this address, so it may be any host, loopback included.
  const policy: OutboundPolicy = {
    mayUseHttp: true,
    mayUseLoopback: true,
    allow: [hostOf(new URL(url))],
    ownPorts: [],
  }
  let format: Format = 'json_schema'

  /** One HTTP request. Undefined when the server does not support this response format (400). */
  async function post(messages: Message[], question: Question<TSchema>, tried: Format, spend: Spend) {
    const deadlineMs = spend()
    if (deadlineMs === undefined) throw new ModelError('The time for the model was used up')
    const reply = await outbound.send({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(server.key === undefined ? undefined : { authorization: `Bearer ${server.key}` }),
      },
      body: JSON.stringify({
        model: server.model,
        messages,
        temperature: 0.2,
        stream: false,
        ...responseFormat(tried, question),
      }),
      policy,
      partition: 'model',
      deadlineMs,
      maxBodyBytes: MAX_BYTES,
    })
    if (!reply.ok)
      throw new ModelError(
        reply.error === 'timeout'
          ? 'The model server did not answer in time'
          : 'The model server could not be reached',
      )
    if (reply.status === 400 && tried !== 'text') return undefined
    if (reply.status !== 200) throw new ModelError(`The model server answered with status ${reply.status}`)
    if (!reply.isComplete) throw new ModelError('The answer of the model was too long or cut off')
    return contentOf(reply.body.toString('utf8'))
  }

  /** The text of the answer, in the best format that the server supports. */
  async function complete(messages: Message[], question: Question<TSchema>, spend: Spend): Promise<string> {
    for (;;) {
      const tried = format
      const text = await post(messages, question, tried, spend)
      if (text !== undefined) return text
      // A concurrent call may have changed the format meanwhile.
      if (format === tried) format = FORMATS[FORMATS.indexOf(tried) + 1] ?? 'text'
    }
  }

  /** Returns an answer that matches the schema. An invalid answer gets one retry. Throws ModelError. */
  return async function ask<T extends TSchema>(question: Question<T>, spend: Spend): Promise<Static<T>> {
    const messages: Message[] = [
      { role: 'system', content: question.system },
      {
        role: 'user',
        content: `${question.text}\n\nAnswer with one JSON object of this schema and nothing else:\n${JSON.stringify(question.schema)}`,
      },
    ]
    const first = await complete(messages, question, spend)
    const read = readAnswer(question.schema, first)
    if ('value' in read) return read.value
    const again = await complete(
      [
        ...messages,
        { role: 'assistant', content: first.slice(0, 8_000) },
        {
          role: 'user',
          content: `That is not what was asked for: ${read.fault}. Answer again, with the JSON object only.`,
        },
      ],
      question,
      spend,
    )
    const repaired = readAnswer(question.schema, again)
    if ('value' in repaired) return repaired.value
    throw new ModelError('The answer of the model did not have the form that was asked for')
  }
}

function responseFormat(format: Format, { name, schema }: Question<TSchema>) {
  if (format === 'text') return undefined
  if (format === 'json_object') return { response_format: { type: 'json_object' } }
  return { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } }
}

function contentOf(body: string): string {
  try {
    const parsed = JSON.parse(body) as { choices?: { message?: { content?: unknown } }[] } | null
    const content = parsed?.choices?.[0]?.message?.content
    if (typeof content === 'string') return content
  } catch {
    // Falls through to the error below: prose is as useless as JSON of another shape.
  }
  throw new ModelError('The model server did not answer as chat completions do')
}

function readAnswer<T extends TSchema>(schema: T, text: string): { value: Static<T> } | { fault: string } {
  const value = firstObject(text)
  if (value === undefined) return { fault: 'there is no JSON object in it' }
  const validate = compileValidator({ schema, method: 'POST', url: '' }) as {
    (data: unknown): boolean
    errors?: { instancePath: string; message?: string }[] | null
  }
  // JSON can escape characters that no text may hold, such as U+0000. The database would then refuse the whole run.
  const dirty = findString(value, (part) => !isCleanText(part))
  if (dirty !== undefined) return { fault: `${dirty} holds a control character` }
  if (validate(value)) return { value: value as Static<T> }
  const [fault] = validate.errors ?? []
  return { fault: `${fault?.instancePath || 'the object'} ${fault?.message ?? 'is not valid'}` }
}
