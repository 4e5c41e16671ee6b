// A partner's server on Express 5. Environment: SSO (address), SITE_KEY, SITE_CODE, JWT_SECRET, WEBHOOK_SECRET, COOKIE_SECRET (any
// 32 characters of your own), PORT. The site's callback_url is http://127.0.0.1:PORT/auth/callback.
import { createClient } from '@lyceum/client'
import { createLyceum } from '@lyceum/server'
import { callerOf, lyceumRoutes, requireUser } from '@lyceum/server/express'
import express from 'express'

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

const app = express()
app.use(lyceumRoutes(lyceum)) // /auth/sign-in, /auth/callback, /auth/sign-out, /auth/webhook
app.get('/me', requireUser(lyceum), async (request, response) => {
  const { user, token } = callerOf(request)
  const { data } = await client.sso.GET('/api/v1/users/{user_id}', {
    params: { path: { user_id: user.sub } },
    headers: { Authorization: `Bearer ${token}` },
  })
  response.json({ email: data.email, role: user.role })
})
app.listen(Number(PORT), '127.0.0.1')
