// The environment is that of the other examples.
import { createClient } from '@lyceum/client'
import { createLyceum } from '@lyceum/server'

const { SSO: sso, SITE_KEY: siteKey, PORT = '3000' } = process.env

// Next loads modules anew while one develops; the stream of revocations stays.
export const lyceum = (globalThis.lyceum ??= createLyceum({
  sso,
  siteKey,
  siteCode: process.env.SITE_CODE,
  jwtSecret: process.env.JWT_SECRET,
  webhookSecret: process.env.WEBHOOK_SECRET,
  cookieSecret: process.env.COOKIE_SECRET,
  callbackUrl: `http://127.0.0.1:${PORT}/auth/callback`,
  onWebhook: (event) => console.log(event.event_type),
}))
export const client = createClient({ sso })
