import type { Language } from '#foundation/web/client/texts.ts'
import { addressOf, modulesOf } from './assets.ts'
import words from './words.json' with { type: 'json' }

/*
 * How to make a page.
 *
 * 1. `words.json`: its title, which is also its first `<h1>`, and if it has one, its lead. The script fills the element with
 *    `id="page"`. The path is the name with slashes: `channel-edit` is `/channel/edit`.
 * 2. `client/<name>.ts`: calls `openPage()` of `client/page.ts` with a function that loads data and returns an element.
 *    Its errors become panels: signed out, 403, 404, 429 with a countdown, offline, error with a retry.
 * 3. Read data with `get()` and write it with `send()` of `client/api.ts`. Create elements with `html` of
 *    `client/html.ts` (inserted values are text). What people read is in `client/*-texts.ts`, in every language. API
 *    types are in `api-types.ts`, CSS classes in `styles/`.
 *
 * There is no build: the service strips the types itself and serves every file under a digest of all of them.
 */

type Words = Record<Language, string>
type PageWords = { title: Words; lead?: Words; is_below_channels?: boolean }
export type PageName = keyof typeof words.pages
type Say = (text: Words) => string

/** The navigation entries, and the pages below each. */
const PLACES: readonly Place[] = [
  { href: '/', has: ['index'] },
  {
    href: '/channels',
    has: ['channels', 'channel', 'channel-edit', 'episode', 'episode-edit', 'grading', 'test-edit'],
  },
  { href: '/learning', has: ['learning', 'homework', 'test'] },
  { href: '/grades', has: ['grades'] },
]
const BELOW: readonly Place[] = [
  { href: '/innovation', has: ['innovation'] },
  { href: '/system', has: ['system'] },
]
/** It is named by the title of its first page. */
type Place = { href: string; has: readonly [PageName, ...PageName[]] }

/** Every page, the same for all visitors of a language. */
export const pages = (Object.keys(words.pages) as PageName[]).map((name) => ({
  name,
  path: name === 'index' ? '/' : `/${name.replaceAll('-', '/')}`,
  textIn: (language: Language) => layOut(name, language),
}))

function layOut(name: PageName, language: Language): string {
  const { title, lead, is_below_channels }: PageWords = words.pages[name]
  const { skip, main, more, trail, no_script, lost, reload, search } = words.shell
  const say: Say = (text) => text[language]
  const [own, ...imported] = modulesOf(name).map(addressOf)
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${say(title)} · Lyceum</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${addressOf('pages/lyceum.css')}">
<script src="${addressOf('pages/client/theme.ts')}"></script>
<link rel="icon" href="${addressOf('pages/icon.svg')}" type="image/svg+xml">
<script type="module" src="${own}"></script>
${imported.map((address) => `<link rel="modulepreload" href="${address}">`).join('\n')}
</head>
<body data-page="${name}">
<a class="skip" href="#main">${say(skip)}</a>
<header class="top">
<div class="top-row">
<a class="brand" href="/"><img src="${addressOf('pages/icon.svg')}" alt="" width="26" height="26">Lyceum</a>
<nav aria-label="${say(main)}"><ul>${links(PLACES, name, say)}</ul></nav>
<form class="finder" role="search" action="/channels"><input type="search" name="q" maxlength="200" placeholder="${say(search)}" aria-label="${say(search)}" aria-keyshortcuts="/ Control+K" autocomplete="off" dir="auto"></form>
<div id="account"></div>
</div>
</header>
<main id="main" tabindex="-1">
${is_below_channels ? `<nav class="trail" aria-label="${say(trail)}"><ol><li><a href="/channels">${say(words.pages.channels.title)}</a></li></ol></nav>` : ''}
<h1>${say(title)}</h1>
${lead ? `<p class="lead">${say(lead)}</p>` : ''}
<div id="page"></div>
<p id="lost" class="note is-bad" role="alert" hidden>${say(lost)} <a href="">${say(reload)}</a></p>
<noscript><p class="note">${say(no_script)}</p></noscript>
</main>
<footer class="foot">
<nav aria-label="${say(more)}"><ul>${links(BELOW, name, say)}</ul></nav>
</footer>
<div id="toasts" role="status" aria-live="polite"></div>
</body>
</html>
`
}

function links(places: readonly Place[], name: PageName, say: Say): string {
  return places
    .map(({ href, has }) => {
      const current = has.includes(name) ? ` aria-current="${has[0] === name ? 'page' : 'true'}"` : ''
      return `<li><a href="${href}"${current}>${say(words.pages[has[0]].title)}</a></li>`
    })
    .join('')
}
