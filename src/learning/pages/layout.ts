import { addressOf, modulesOf, pageFiles } from './assets.ts'

/*
 * How to make a page.
 *
 * 1. `html/<name>.html`: a `<title>`, an `<h1>` and the content of `<main>` before data arrives. The script fills the
 *    element with `id="page"`. The path is the name with slashes: `channel-edit` is `/channel/edit`.
 * 2. `client/<name>.ts`: calls `openPage()` of `client/page.ts` with a function that loads data and returns an element.
 *    Its errors become panels: signed out, 403, 404, 429 with a countdown, offline, error with a retry.
 * 3. Read data with `get()` and write it with `send()` of `client/api.ts`. Create elements with `html` of
 *    `client/html.ts` (inserted values are text). API types are in `api-types.ts`, CSS classes in `styles/`.
 *
 * There is no build: the service strips the types itself and serves every file under a digest of all of them.
 */

export type Page = { name: string; path: string; text: string }

/** The navigation entries, and the pages below each. */
const PLACES = [
  { href: '/', text: 'Home', has: ['index'] },
  {
    href: '/channels',
    text: 'Channels',
    has: ['channels', 'channel', 'channel-edit', 'episode', 'episode-edit', 'grading', 'test-edit'],
  },
  { href: '/learning', text: 'My learning', has: ['learning', 'homework', 'test'] },
  { href: '/grades', text: 'Grades', has: ['grades'] },
]
const BELOW = [
  { href: '/innovation', text: 'Suggestions', has: ['innovation'] },
  { href: '/system', text: 'System', has: ['system'] },
]

/** Every page as it is served, the same for all visitors. */
export const pages: Page[] = Array.from(pageFiles, ([name, file]) => ({
  name,
  path: name === 'index' ? '/' : `/${name.replaceAll('-', '/')}`,
  text: layOut(name, file),
}))

function layOut(name: string, file: string): string {
  const [, title = ''] = /<title>([^<]*)<\/title>/.exec(file) ?? []
  const [own, ...imported] = modulesOf(name).map(addressOf)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Lyceum</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${addressOf('pages/lyceum.css')}">
<script src="${addressOf('pages/client/theme.ts')}"></script>
<link rel="icon" href="${addressOf('pages/icon.svg')}" type="image/svg+xml">
<script type="module" src="${own}"></script>
${imported.map((address) => `<link rel="modulepreload" href="${address}">`).join('\n')}
</head>
<body data-page="${name}">
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<div class="top-row">
<a class="brand" href="/"><img src="${addressOf('pages/icon.svg')}" alt="" width="26" height="26">Lyceum</a>
<nav aria-label="Main"><ul>${links(PLACES, name)}</ul></nav>
<div id="account"></div>
</div>
</header>
<main id="main" tabindex="-1">
${file.replace(/<title>[^<]*<\/title>\s*/, '')}
<noscript><p class="note">This page shows your data with the help of JavaScript, which is switched off in this browser.</p></noscript>
</main>
<footer class="foot">
<nav aria-label="More"><ul>${links(BELOW, name)}</ul></nav>
</footer>
<div id="toasts" role="status" aria-live="polite"></div>
</body>
</html>
`
}

function links(places: typeof PLACES, name: string): string {
  return places
    .map(({ href, text, has }) => {
      const current = has.includes(name) ? ` aria-current="${has[0] === name ? 'page' : 'true'}"` : ''
      return `<li><a href="${href}"${current}>${text}</a></li>`
    })
    .join('')
}
