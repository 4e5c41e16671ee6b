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
  /** Whose page it is, so that what they type is kept for them alone; where the client gets a token and renews the session. */
  visit?: { person: string; token: string; renew: string }
  /** A style sheet of the service beside that of the kit. */
  styles?: string
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** A text as it stands in markup and between double quotes. */
export const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (char) => ENTITIES[char] ?? '')
const link = (href: string, text: string, mark = '') =>
  `<a href="${escaped(href)}"${mark}>${escaped(text)}</a>`

/**
 * The HTML of a live page: title, navigation and first data are in it, and all modules are preloaded. `module`: its path
 * in the assets, such as `console/client/webhooks.ts`, which renders into `#page` with the kit in `client/`.
 */
export function livePage({ addressOf, modulesOf }: Assets, module: string, page: LivePage): string {
  const [own = '', ...imported] = modulesOf(module).map(addressOf)
  const { title, trail = [], data, visit } = page
  const modules = `<script type="module" src="${own}"></script>
${imported.map((address) => `<link rel="modulepreload" href="${address}">`).join('\n')}`
  return shell(
    { addressOf },
    {
      ...page,
      modules,
      body: visit
        ? ` data-token="${escaped(visit.token)}" data-renew="${escaped(visit.renew)}" data-person="${escaped(visit.person)}"`
        : '',
    },
    `${trail.length > 0 ? `<p class="trail">${trail.map(({ href, text }) => link(href, text)).join(' / ')}</p>` : ''}
<h1 dir="auto">${escaped(title)}</h1>
<div id="page" aria-busy="true"></div>
<noscript><p>This page needs JavaScript, which is switched off in this browser.</p></noscript>`,
    `<script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`,
  )
}

type Plain = Pick<LivePage, 'lang' | 'title' | 'label' | 'navigation' | 'styles'>

/** A page that says one thing and where to go from there, such as to the sign-in. */
export const plainPage = (
  assets: Pick<Assets, 'addressOf'>,
  page: Plain,
  { text, href, action }: { text: string; href: string; action: string },
): string =>
  shell(
    assets,
    page,
    `<h1>${escaped(page.title)}</h1>
<p>${escaped(text)}</p>
<p>${link(href, action, ' class="button"')}</p>`,
  )

function shell(
  { addressOf }: Pick<Assets, 'addressOf'>,
  {
    lang,
    title,
    label,
    navigation,
    styles,
    modules = '',
    body = '',
  }: Plain & { modules?: string; body?: string },
  main: string,
  end = '',
): string {
  return `<!doctype html>
<html lang="${escaped(lang)}">
<head>
<meta charset="utf-8">
<title>${escaped(title)} · Lyceum</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${addressOf('foundation/web/client/kit.css')}">
${styles === undefined ? '' : `<link rel="stylesheet" href="${addressOf(styles)}">`}
<link rel="icon" href="${addressOf('foundation/web/client/icon.svg')}" type="image/svg+xml">
${modules}
</head>
<body${body}>
<header>
<p class="brand"><img src="${addressOf('foundation/web/client/icon.svg')}" alt="" width="28" height="28">Lyceum</p>
<nav aria-label="${escaped(label)}"><ul>
${navigation.map(({ href, text, is_current }) => `<li>${link(href, text, is_current ? ' aria-current="page"' : '')}</li>`).join('\n')}
</ul></nav>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<div id="toasts" role="status" aria-live="polite"></div>
${end}
</body>
</html>
`
}

/**
 * Headers of a live page: own files only, markup only from the templates of lit-html, nothing kept. `renews_at`: the origin
 * of the sso, for pages of another service.
 */
export const liveHeaders = (renews_at = '') => ({
  'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; connect-src 'self' ${renews_at}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html`,
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  Vary: 'Accept-Language',
})
