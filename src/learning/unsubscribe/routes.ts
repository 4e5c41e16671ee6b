import { Type } from 'typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '#foundation/database/database.ts'
import type { App } from '#foundation/http/http.ts'
import { readForms } from '#foundation/http/forms.ts'
import { acceptMultipart } from '#foundation/http/multipart.ts'
import { type Texts, languageOf, textsIn } from '#foundation/web/client/texts.ts'
import { addressOf } from '../pages/assets.ts'
import { endMail } from '../notifications/preferences.ts'
import { NOTIFICATION_TEXTS, type NotificationText } from '../notifications/texts.ts'
import type { Unsubscribe } from '../notifications/unsubscribe.ts'

const Query = Type.Object({ token: Type.String({ maxLength: 1_000 }) })
const Html = {
  200: { description: 'A page for people', content: { 'text/html': { schema: Type.String() } } },
} as object

/**
 * The page behind the link of a mail. Scanners of mail follow links, so GET only shows a form; POST ends the mails,
 * also by the one click of a mail program (RFC 8058), which sends a form of either type.
 */
export function unsubscribeRoutes(app: App, db: Database, unsubscribe: Unsubscribe) {
  if (!app.hasContentTypeParser('multipart/form-data')) acceptMultipart(app)
  if (!app.hasContentTypeParser('application/x-www-form-urlencoded')) readForms(app)
  const config = { auth: 'public', operational: true, compress: false } as const
  app.get(
    '/unsubscribe',
    { config, schema: { hide: true, querystring: Query, response: Html } },
    async (request, reply) => {
      const t = begin(request, reply)
      const isKnown = unsubscribe.read(request.query.token) !== undefined
      return page(t, isKnown ? 'form' : 'bad_link', languageFor(request)) as never
    },
  )
  app.post(
    '/unsubscribe',
    {
      config: { ...config, form: true, upload: true },
      schema: {
        hide: true,
        querystring: Query,
        body: Type.Object({ all: Type.Optional(Type.String({ maxLength: 10 })) }),
        response: Html,
      },
    },
    async (request, reply) => {
      // Only the token counts, so a body of many parts is let pass unread.
      request.raw.resume()
      const t = begin(request, reply)
      const subscription = unsubscribe.read(request.query.token)
      if (!subscription) return page(t, 'bad_link', languageFor(request)) as never
      await endMail(db, { ...subscription, ...(request.body.all === 'yes' && { kind: 'all' as const }) })
      return page(t, 'left', languageFor(request)) as never
    },
  )
}

const languageFor = ({ headers }: FastifyRequest) => languageOf(null, headers['accept-language'])

function begin(request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy':
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept-Language',
  })
  return textsIn(NOTIFICATION_TEXTS, languageFor(request))
}

/** The form is sent to the address of the page, so it holds nothing of the request. */
function page(t: Texts<NotificationText>, what: 'form' | 'left' | 'bad_link', language: string): string {
  const content =
    what === 'form'
      ? `<p>${t('leave_text')}</p>
<form method="post" class="actions">
<button>${t('leave_this')}</button>
<button name="all" value="yes" class="second">${t('leave_all')}</button>
</form>`
      : `<p role="status">${t(what)}</p>`
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${t('leave_title')} · Lyceum</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${addressOf('pages/lyceum.css')}">
<link rel="icon" href="${addressOf('pages/icon.svg')}" type="image/svg+xml">
</head>
<body>
<main id="main">
<h1>${t(what === 'form' ? 'leave_kind' : 'leave_title')}</h1>
${content}
<p><a href="/">${t('home')}</a></p>
</main>
</body>
</html>
`
}
