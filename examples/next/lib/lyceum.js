// The environment is that of the other examples.
import { createClient } from '@lyceum/client'
import { createLyceum } from '@lyceum/server'

const { SSO: sso, PORT = '3000' } = process.env

/** Made at the first request, because `next build` runs this too; kept, because `next dev` loads modules anew. */
export const lyceum = () =>
  (globalThis.lyceum ??= createLyceum({
    sso,
    siteKey: process.env.SITE_KEY,
    siteCode: process.env.SITE_CODE,
    jwtSecret: process.env.JWT_SECRET,
    webhookSecret: process.env.WEBHOOK_SECRET,
    cookieSecret: process.env.COOKIE_SECRET,
    callbackUrl: `http://127.0.0.1:${PORT}/auth/callback`,
    onWebhook: (event) => console.log(event.event_type),
  }))
export const client = createClient({ sso })
