import { addressOf } from './assets.ts'
import { type Html, html, textOf } from './html.ts'

/** What is wrong with one field, or with the whole form where `field` names none that is there. */
export type Fault = { field: string; message: string }

export type Page = {
  title: string
  faults?: readonly Fault[] | undefined
  /** A convenience; the page does what it is for without it. */
  script?: 'fragment.js' | 'passkey.js' | undefined
  /** Where the page goes on to by itself. */
  refresh?: string
  main: Html
  footer?: Html | undefined
}

/** One whole page, as text. */
export function layOut({ title, faults = [], script, refresh, main, footer }: Page): string {
  return textOf(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <title>${faults.length > 0 ? 'Error: ' : ''}${title} · Lyceum</title>
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          <link rel="stylesheet" href="${addressOf('hosted.css')}" />
          <link rel="icon" href="${addressOf('icon.svg')}" type="image/svg+xml" />
          ${refresh !== undefined && html`<meta http-equiv="refresh" content="0;url=${refresh}" />`}
          ${script && html`<script src="${addressOf(script)}" defer></script>`}
        </head>
        <body>
          <header>
            <p class="brand"><img src="${addressOf('icon.svg')}" alt="" width="28" height="28" />Lyceum</p>
          </header>
          <main>
            <h1>${title}</h1>
            ${faults.length > 0 && errorSummary(faults)} ${main}
          </main>
          ${footer && html`<footer>${footer}</footer>`}
        </body>
      </html> `,
  )
}

/** Has the focus when the page arrives, so that screen readers begin with it; each line leads to its field. */
const errorSummary = (faults: readonly Fault[]) =>
  html` <div class="errors" role="alert" tabindex="-1" autofocus>
    <h2>There is a problem</h2>
    <ul>
      ${faults.map(({ field, message }) => html`<li><a href="#${field}">${message}</a></li>`)}
    </ul>
  </div>`

type Field = {
  name: string
  label: string
  type?: 'text' | 'email' | 'password'
  autocomplete: string
  value?: string | undefined
  hint?: string
  isOptional?: boolean
  /** A name or code: never spelt right or begun with a capital for the person. */
  isName?: boolean
  isCode?: boolean
  /** Takes the focus on a page without faults. */
  isFirst?: boolean
  faults?: readonly Fault[] | undefined
}

/** A labelled input with its hint and its fault, both tied to it for whoever cannot see them stand there. */
export function field({
  name,
  label,
  type = 'text',
  autocomplete,
  value = '',
  hint,
  isOptional = false,
  isName = type === 'email',
  isCode = false,
  isFirst = false,
  faults = [],
}: Field): Html {
  const fault = faults.find((one) => one.field === name)
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ')
  const attributes = [
    isCode && html` class="code"`,
    (isCode || isName) && html` spellcheck="false" autocapitalize="none"`,
    !isOptional && html` required`,
    described !== '' && html` aria-describedby="${described}"`,
    fault && html` aria-invalid="true"`,
    isFirst && faults.length === 0 && html` autofocus`,
  ].filter((one) => one !== false && one !== undefined)
  return html` <div class="field">
    <label for="${name}">${label}${isOptional && html` <span class="optional">(optional)</span>`}</label>
    ${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${fault && html`<p class="fault" id="${name}-fault">${fault.message}</p>`}
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${attributes}
    />
  </div>`
}

/**
 * A form that posts to `action`. Checks are ours, worded alike with and without script, hence novalidate.
 * `mark`: the attribute a script knows it by.
 */
export const form = (action: string, form_token: string, fields: Html, mark?: 'data-takes-fragment'): Html =>
  html` <form method="post" action="${action}" novalidate${mark && html` data-takes-fragment`}>
    <input type="hidden" name="form_token" value="${form_token}" />
    ${fields}
  </form>`

export const links = (...items: { href: string; text: string }[]): Html =>
  html`<ul class="links">
    ${items.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}
  </ul>`
