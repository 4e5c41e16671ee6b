import type { Assets } from './assets.ts'

/** A page whose content a module renders. Texts are in the language of `lang`. */
export type LivePage = {
  lang: string
  title: string
  /** Name of the navigation, for screen readers. */
  label: string
  navigation: readonly { href: string; text: string; is_current: boolean }[]
  trail?: readonly { href: string; text: string }[]
  /** What the module asks for first, by the path of the API: the client reads it from here. */
  data: Readonly<Record<string, unknown>>
  /** Where the client gets a token, and where it renews the session. */
  session: { token: string; renew: string }
  /** Whose page it is: what they type is kept for them alone. */
  person: string
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (char) => ENTITIES[char] ?? '')
const link = (href: string, text: string, mark = '') =>
  `<a href="${escaped(href)}"${mark}>${escaped(text)}</a>`

/**
 * The HTML of a live page: title, navigation and first data are in it, and all modules are preloaded. `module`: its path
 * in the assets, such as `console/client/webhooks.ts`, which renders into `#page` with the kit in `client/`.
 */
export function livePage({ addressOf, modulesOf }: Assets, module: string, page: LivePage): string {
  const [own = '', ...imported] = modulesOf(module).map(addressOf)
  const { lang, title, label, navigation, trail = [], data, session, person } = page
  return `<!doctype html>
<html lang="${escaped(lang)}">
<head>
<meta charset="utf-8">
<title>${escaped(title)} · Lyceum</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${addressOf('foundation/web/client/kit.css')}">
<link rel="icon" href="${addressOf('foundation/web/client/icon.svg')}" type="image/svg+xml">
<script type="module" src="${own}"></script>
${imported.map((address) => `<link rel="modulepreload" href="${address}">`).join('\n')}
</head>
<body data-token="${escaped(session.token)}" data-renew="${escaped(session.renew)}" data-person="${escaped(person)}">
<header>
<p class="brand"><img src="${addressOf('foundation/web/client/icon.svg')}" alt="" width="28" height="28">Lyceum</p>
<nav aria-label="${escaped(label)}"><ul>
${navigation.map(({ href, text, is_current }) => `<li>${link(href, text, is_current ? ' aria-current="page"' : '')}</li>`).join('\n')}
</ul></nav>
</header>
<main id="main" tabindex="-1">
${trail.length > 0 ? `<p class="trail">${trail.map(({ href, text }) => link(href, text)).join(' / ')}</p>` : ''}
<h1 dir="auto">${escaped(title)}</h1>
<div id="page" aria-busy="true"></div>
<noscript><p>This page needs JavaScript, which is switched off in this browser.</p></noscript>
</main>
<div id="toasts" role="status" aria-live="polite"></div>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>
</body>
</html>
`
}

/** Headers of a live page: own files only, markup only from the templates of lit-html, nothing kept. */
export const LIVE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html",
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  Vary: 'Accept-Language',
}
