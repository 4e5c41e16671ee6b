// A partner's server on Hono. Environment: SSO (address), SITE_KEY, SITE_CODE, JWT_SECRET, WEBHOOK_SECRET, COOKIE_SECRET (any
// 32 characters of your own), PORT. The site's callback_url is http://127.0.0.1:PORT/auth/callback.
import { serve } from '@hono/node-server'
import { createClient } from '@lyceum/client'
import { createLyceum } from '@lyceum/server'
import { callerOf, lyceumRoutes, requireUser } from '@lyceum/server/hono'
import { Hono } from 'hono'

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

const app = new Hono()
app.all('/auth/*', lyceumRoutes(lyceum)) // sign-in, callback, sign-out, webhook
app.get('/me', requireUser(lyceum), async (c) => {
  const { user, token } = callerOf(c)
  const { data } = await client.sso.GET('/api/v1/users/{user_id}', {
    params: { path: { user_id: user.sub } },
    headers: { Authorization: `Bearer ${token}` },
  })
  return c.json({ email: data.email, role: user.role })
})
serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' })
