import { assets } from './assets.ts'
import { type Html, html, localised, textsOf } from './html.ts'
import words from './layout-words.json' with { type: 'json' }

const t = textsOf(words)

/** An error in one field, or in the whole form when `field` names no existing field. */
export type Fault = { field: string; message: string | Html }

type Page = {
  title: string | Html
  faults?: readonly Fault[] | undefined
  /** Progressive enhancement; the page works without it. */
  script?: 'fragment.js' | 'passkey.js' | 'passkey-sign-in.js' | undefined
  /** URL the page redirects to by itself. */
  refresh?: string
  main: Html
  footer?: Html | undefined
}

const { addressOf } = assets

/** A complete page. */
export function layOut({ title, faults = [], script, refresh, main, footer }: Page): Html {
  return html`<!doctype html>
    <html lang="${localised((language) => language)}">
      <head>
        <meta charset="utf-8" />
        <title>${faults.length > 0 && html`${t('error')} `}${title} · ${ourName}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="stylesheet" href="${addressOf('hosted.css')}" />
        ${localised((_, { branding: { color } }) => color !== null && html`<link rel="stylesheet" href="/branding.css?color=${color.slice(1)}" />`)}
        <link rel="icon" href="${addressOf('icon.svg')}" type="image/svg+xml" />
        ${refresh !== undefined && html`<meta http-equiv="refresh" content="0;url=${refresh}" />`}
        ${script && html`<script src="${addressOf(script)}" defer></script>`}
      </head>
      <body>
        <header>
          <p class="brand">${brand}</p>
        </header>
        <main id="main">
          <h1>${title}</h1>
          ${faults.length > 0 && errorSummary(faults)} ${main}
        </main>
        ${footer && html`<footer>${footer}</footer>`}
      </body>
    </html> `
}

const ourName = localised((_, { branding }) => branding.name)
const brand = localised((_, { branding: { name, logo_url } }) =>
  logo_url === null
    ? html`<img src="${addressOf('icon.svg')}" alt="" width="28" height="28" />${name}`
    : html`<img class="logo" src="${logo_url}" alt="${name}" referrerpolicy="no-referrer" />`,
)

/** Takes the focus on load, so that screen readers begin here. Each line links to its field. */
const errorSummary = (faults: readonly Fault[]) =>
  html` <div class="errors" role="alert" tabindex="-1" autofocus>
    <h2>${t('problem')}</h2>
    <ul>
      ${faults.map(({ field, message }) => html`<li><a href="#${field}">${message}</a></li>`)}
    </ul>
  </div>`

type Field = {
  name: string
  label: string | Html
  type?: 'text' | 'email' | 'password'
  autocomplete: string
  value?: string | undefined
  hint?: string | Html
  isOptional?: boolean
  /** Values that the browser proposes, with what they mean; any other may be typed. */
  proposals?: readonly { value: string; label?: string }[]
  /** A name or code: turns off spell checking and automatic capitals. */
  isName?: boolean
  isCode?: boolean
  /** Takes the focus when the page has no errors. */
  isFirst?: boolean
  faults?: readonly Fault[] | undefined
}

/** A labelled input. Hint and error are linked to it for screen readers. */
export function field({
  name,
  label,
  type = 'text',
  autocomplete,
  value = '',
  hint,
  isOptional = false,
  proposals = [],
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
    proposals.length > 0 && html` list="${name}-proposals"`,
    isFirst && faults.length === 0 && html` autofocus`,
  ].filter((one) => one !== false && one !== undefined)
  return html` <div class="field">
    <label for="${name}"
      >${label}${isOptional && html` <span class="optional">${t('optional')}</span>`}</label
    >
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
    ${
      proposals.length > 0 &&
      html`<datalist id="${name}-proposals">
        ${proposals.map(({ value: one, label: meaning = '' }) => html`<option value="${one}" label="${meaning}"></option>`)}
      </datalist>`
    }
  </div>`
}

/**
 * A form that posts to `action`. `novalidate`, because the server's messages should read the same with and without
 * script. `mark`: the attribute by which a script finds the form.
 */
export const form = (action: string, form_token: string, fields: Html, mark?: 'data-takes-fragment'): Html =>
  html` <form method="post" action="${action}" novalidate${mark && html` data-takes-fragment`}>
    <input type="hidden" name="form_token" value="${form_token}" />
    ${fields}
  </form>`

export type Link = { href: string; text: string | Html }
export const links = (...items: Link[]): Html =>
  html`<ul class="links">
    ${items.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}
  </ul>`
