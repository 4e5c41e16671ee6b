import { html, nothing, type TemplateResult } from 'lit-html'
import { texts } from '../../web/client/page.ts'
import { jsonView } from '../../web/client/parts.ts'
import type { Operation } from './description.ts'
import { credentials } from './credentials.ts'
import { REFERENCE_TEXTS } from './reference-texts.ts'

const t = texts(REFERENCE_TEXTS)
const MOST_SHOWN = 100_000

type Trial = {
  id: string
  method: string
  path: string
  operation: Operation
  /** The body to begin with. */
  example: string | undefined
  /** The field of a form that takes a file. */
  file: string | undefined
}

/** The form that calls a route for real, and what came back. */
export function trial({ id, method, path, operation, example, file }: Trial, update: () => void) {
  let result: { said: string; text: string } | undefined
  let isSending = false
  const parameters = (operation.parameters ?? []).filter((one) => one.in !== 'header')

  async function send(form: HTMLFormElement): Promise<void> {
    const given = new FormData(form)
    const { address, body, headers } = requestOf(given)
    isSending = true
    update()
    const began = performance.now()
    try {
      const reply = await fetch(address, {
        method: method.toUpperCase(),
        headers: { ...headers, ...credentials.headersFor(operation) },
        credentials: 'omit',
        redirect: 'manual',
        ...(body !== undefined && { body }),
      })
      const ms = Math.round(performance.now() - began)
      result = { said: t('took', { status: String(reply.status), ms }), text: await textOf(reply) }
    } catch {
      result = { said: t('unreachable'), text: '' }
    }
    isSending = false
    update()
  }

  function requestOf(given: FormData) {
    const query = new URLSearchParams()
    let address = path
    for (const { name, in: place } of parameters) {
      const value = textIn(given, name)
      if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value))
      else if (value !== '') query.set(name, value)
    }
    const url = query.size > 0 ? `${address}?${query.toString()}` : address
    if (file !== undefined) {
      const form = new FormData()
      form.set(file, given.get(' file') ?? '')
      return { address: url, body: form, headers: {} }
    }
    if (example === undefined) return { address: url, headers: {} }
    return {
      address: url,
      body: textIn(given, ' body'),
      headers: { 'Content-Type': 'application/json' },
    }
  }

  return (): TemplateResult =>
    html`<details class="trial">
      <summary>${t('try')}</summary>
      <form
        @submit=${(event: SubmitEvent) => {
          event.preventDefault()
          void send(event.target as HTMLFormElement)
        }}
      >
        ${parameters.map(
          ({ name, in: place, required }) =>
            html`<label
              ><code>${name}</code>
              <input name=${name} ?required=${place === 'path' && required !== false} autocomplete="off"
            /></label>`,
        )}
        ${
          example === undefined
            ? nothing
            : html`<label
                >${t('body')}
                <textarea name=" body" rows="8" spellcheck="false" .defaultValue=${example}></textarea>
              </label>`
        }
        ${file === undefined ? nothing : html`<label>${t('file')} <input type="file" name=" file" required /></label>`}
        <button ?disabled=${isSending}>${isSending ? t('sending') : t('send')}</button>
      </form>
      <p role="status">${result?.said ?? nothing}</p>
      ${result?.text ? jsonView(result.text, `${t('answer', { status: '' })} ${id}`) : nothing}
    </details>`
}

function textIn(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

async function textOf(reply: Response): Promise<string> {
  const type = reply.headers.get('content-type') ?? ''
  const bytes = await reply.arrayBuffer()
  if (!/^(?:text\/|application\/(?:\S+\+)?json)/.test(type))
    return bytes.byteLength === 0 ? '' : t('not_text', { type, size: bytes.byteLength })
  const text = new TextDecoder().decode(bytes)
  return text.length <= MOST_SHOWN
    ? text
    : `${t('cut', { shown: MOST_SHOWN, size: text.length })}\n${text.slice(0, MOST_SHOWN)}`
}
