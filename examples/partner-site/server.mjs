// A partner site: signs people in through Lyceum and signs them out when Lyceum says so. See README.md.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { verifyWebhook } from 'lyceum/webhook-kit'

const { SSO = 'http://127.0.0.1:8064', SITE_KEY = '', WEBHOOK_SECRET = '', PORT = '3000' } = process.env
const sessions = new Map() // our cookie → {session_id, email}; a real site keeps this in its database
const seen = new Set() // event ids we have acted on: a webhook may come twice

async function signIn(request, response) {
  // A form on another page cannot send this type, and so signs nobody in as somebody else.
  if (request.headers['content-type'] !== 'application/json') return response.writeHead(415).end()
  const { email, password } = JSON.parse(await bodyOf(request))
  const headers = { 'content-type': 'application/json', 'x-sso-site-key': SITE_KEY }
  const asked = { method: 'POST', headers, body: JSON.stringify({ email, password }) }
  const reply = await fetch(`${SSO}/api/v1/auth/login`, asked)
  if (!reply.ok) return response.writeHead(401).end()
  const { session_id, user } = await reply.json() // the refresh token stays on our server, too
  const cookie = randomUUID()
  sessions.set(cookie, { session_id, email: user.email })
  response.writeHead(204, { 'set-cookie': `partner=${cookie}; HttpOnly; SameSite=Strict; Path=/` }).end()
}

async function webhook(request, response) {
  const event = verifyWebhook(await bodyOf(request), request.headers, WEBHOOK_SECRET) // throws when it is not from Lyceum
  if (event.event_type === 'back_channel_logout' && !seen.has(event.event_id))
    for (const [cookie, { session_id }] of sessions)
      if (event.data.session_ids.includes(session_id)) sessions.delete(cookie)
  seen.add(event.event_id)
  response.writeHead(204).end() // within 5 seconds: do long work later
}

function home(request, response) {
  const session = sessions.get(/partner=([^;]+)/.exec(request.headers.cookie ?? '')?.[1])
  response.writeHead(session ? 200 : 401).end(session ? `Hello ${session.email}` : 'Please sign in')
}

const bodyOf = async (request) => Buffer.concat(await request.toArray()) // raw bytes: the signature covers them

const routes = { 'POST /sign-in': signIn, 'POST /webhook': webhook, 'GET /': home }
createServer((request, response) => {
  const route = routes[`${request.method} ${request.url}`] ?? ((_, answer) => answer.writeHead(404).end())
  Promise.resolve(route(request, response)).catch(() => response.writeHead(400).end())
}).listen(Number(PORT), '127.0.0.1')
