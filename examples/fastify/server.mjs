// A partner's server on Fastify 5. Environment: SSO (address), SITE_KEY, SITE_CODE, JWT_SECRET, WEBHOOK_SECRET, COOKIE_SECRET (any
// 32 characters of your own), PORT. The site's callback_url is http://127.0.0.1:PORT/auth/callback.
import { createClient } from '@lyceum/client'
import { createLyceum } from '@lyceum/server'
import { callerOf, lyceumRoutes, requireUser } from '@lyceum/server/fastify'
import fastify from 'fastify'

const { SSO: sso, SITE_KEY: siteKey, PORT = '3000' } = process.env
const lyceum = createLyceum({
  sso,
  siteKey,
  siteCode: process.env.SITE_CODE,
  jwtSecret: process.env.JWT_SECRET,
  webhookSecret: process.env.WEBHOOK_SECRET,
  cookieSecret: process.env.COOKIE_SECRET,
  callbackUrl: `http://127.0.0.1:${PORT}/auth/callback`,
  onWebhook: (event) => console.log(event.event_type),
})
const client = createClient({ sso })

const app = fastify()
app.addHook('onClose', () => lyceum.close())
app.register(lyceumRoutes, { lyceum }) // /auth/sign-in, /auth/callback, /auth/sign-out, /auth/webhook
app.get('/me', { onRequest: requireUser(lyceum) }, async (request) => {
  const { user, token } = callerOf(request)
  const { data } = await client.sso.GET('/api/v1/users/{user_id}', {
    params: { path: { user_id: user.sub } },
    headers: { Authorization: `Bearer ${token}` },
  })
  return { email: data.email, role: user.role }
})
await app.listen({ port: Number(PORT), host: '127.0.0.1' })
