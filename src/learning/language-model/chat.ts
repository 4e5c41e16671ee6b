import type { TSchema } from 'typebox'
import type { Static } from 'typebox'
import { hostOf } from '#foundation/outbound/vetting.ts'
import type { openOutbound, OutboundPolicy } from '#foundation/outbound/outbound.ts'
import { compileValidator } from '#foundation/http/schema-compilers.ts'
import { findString, isCleanText } from '#foundation/text.ts'
import { firstObject } from './first-object.ts'

export type Server = { base_url: string; model: string; key: string | undefined }
export type Message = { role: 'system' | 'user' | 'assistant'; content: string }
/** What is asked for; `name` is letters and underscores. */
export type Question<T extends TSchema> = { name: string; schema: T; system: string; text: string }
/** Takes a call off the budget of the run: how long it may take in ms, or undefined when nothing is left. */
export type Spend = () => number | undefined

/** Why nothing usable came back, in words that may be shown: no address, no key, no text of the other side. */
export class ModelError extends Error {}

/** Servers differ in what they understand: what this one took last is tried first. */
const FORMATS = ['json_schema', 'json_object', 'text'] as const
type Format = (typeof FORMATS)[number]

const MAX_BYTES = 256 * 1024

/** Asks an OpenAI-compatible server for JSON of a given form (chat completions). */
export function openChat(server: Server, outbound: ReturnType<typeof openOutbound>) {
  const url = `${server.base_url}/chat/completions`
  // The address is the operator's own word: whatever it names may be reached.
  const policy: OutboundPolicy = {
    mayUseHttp: true,
    mayUseLoopback: true,
    allow: [hostOf(new URL(url))],
    ownPorts: [],
  }
  let format: Format = 'json_schema'

  /** One HTTP request; undefined when the server does not know this form of answer (400). */
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

  /** The text of the answer in the best form the server knows. */
  async function complete(messages: Message[], question: Question<TSchema>, spend: Spend): Promise<string> {
    for (;;) {
      const tried = format
      const text = await post(messages, question, tried, spend)
      if (text !== undefined) return text
      // Another call may have stepped down meanwhile.
      if (format === tried) format = FORMATS[FORMATS.indexOf(tried) + 1] ?? 'text'
    }
  }

  /** An answer of the asked form; one that is not gets one chance to be put right. Throws ModelError. */
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
    // Said below: prose is as useless as JSON of another form.
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
  // JSON can write down what no text may hold, such as U+0000; the database would refuse the whole run.
  const dirty = findString(value, (part) => !isCleanText(part))
  if (dirty !== undefined) return { fault: `${dirty} holds a control character` }
  if (validate(value)) return { value: value as Static<T> }
  const [fault] = validate.errors ?? []
  return { fault: `${fault?.instancePath || 'the object'} ${fault?.message ?? 'is not valid'}` }
}
