import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { languageOf } from './client/texts.ts'
import words from './lost-page.json' with { type: 'json' }

const STYLE = `:root{color-scheme:light dark;background:light-dark(#fff,#12131a);color:light-dark(#1b1d29,#eceef6)}body{font:1.0625rem/1.6 system-ui,sans-serif;max-width:34rem;margin:18vh auto 0;padding:0 1.25rem}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .5rem}a{color:light-dark(#1d4ed8,#93b4ff)}`
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Paths of the API, for which even a browser gets JSON. */
const API = /^\/(?:api|v1)(?:\/|$)/

/** A browser asks for a page. Programs, and whatever asks for the API, get JSON. */
export function isVisitor({ method, url, headers: { accept = '' } }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && accept.includes('text/html') && !API.test(pathOf(url))
}

/**
 * The address without a slash at its end, for a path that has one. Undefined for paths that a browser would take for
 * another host (`//host/`, `/\host/`).
 */
export function withoutSlash(url: string): string | undefined {
  const path = pathOf(url)
  if (!/^\/[^/\\].*\/$/.test(path) || path.endsWith('//')) return undefined
  return path.slice(0, -1) + url.slice(path.length)
}

export const lostPage = (reply: FastifyReply) => plainPage(reply, 'lost', '/')

/** An empty address is that of the page itself. */
export const busyPage = (reply: FastifyReply) => plainPage(reply, 'busy', '')

/** One page for all services. It names nothing of the request, so there is nothing to escape. */
function plainPage(reply: FastifyReply, kind: keyof typeof words, href: string): string {
  const language = languageOf(null, reply.request.headers['accept-language'])
  const { title, text, link } = words[kind][language]
  reply.headers({ 'Content-Security-Policy': POLICY, Vary: 'Accept-Language' })
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${title} · Lyceum</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<p><a href="${href}">${link}</a></p>
</main>
</body>
</html>
`
}

const pathOf = (url: string) => /^[^?#]*/.exec(url)?.[0] ?? ''
