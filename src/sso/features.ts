import type { App } from '#foundation/http/http.ts'
import { operationalRoutes } from '#foundation/http/operational-routes.ts'
import { referenceRoutes } from '#foundation/reference/routes.ts'
import { assets } from './core/pages/assets.ts'
import type { Limiter } from '#foundation/rate-limit/limiter.ts'
import { accountRoutes } from './sign-in/account/routes.ts'
import { accountSecurityRoutes } from './sign-in/account-security/routes.ts'
import { accountSessionsRoutes } from './sign-in/account-sessions/routes.ts'
import { brandingRoutes } from './operations/branding/routes.ts'
import { approvalRoutes } from './operations/approvals/routes.ts'
import { auditRoutes } from './core/audit/routes.ts'
import { consoleRoutes } from './console/routes.ts'
import { bulkRoutes } from './lifecycle/bulk/routes.ts'
import { connectedSitesRoutes } from './sign-in/connected-sites/routes.ts'
import { hostedRoutes } from './sign-in/hosted/routes.ts'
import { enterpriseRoutes } from './federation/enterprise/routes.ts'
import { erasureRoutes } from './lifecycle/erasure/routes.ts'
import { installationRoutes } from './operations/installation/routes.ts'
import { keyRotationRoutes } from './operations/key-rotation/routes.ts'
import { mfaRoutes } from './sign-in/factors/routes.ts'
import { outboxRoutes } from './operations/outbox/routes.ts'
import { openIdRoutes } from './federation/openid/routes.ts'
import type { SsoParts } from './core/parts.ts'
import { passwordRoutes } from './sign-in/passwords/routes.ts'
import { overviewRoutes } from './operations/overview/routes.ts'
import { paymentRoutes } from './partners/payments/routes.ts'
import { retentionRoutes } from './operations/retention/routes.ts'
import { directoryRoutes } from './people/directory/routes.ts'
import { roleRoutes } from './people/roles/routes.ts'
import { sandboxRoutes } from './operations/sandbox/routes.ts'
import { sessionRoutes } from './people/sessions/routes.ts'
import { signInRoutes } from './sign-in/login/routes.ts'
import { siteRoutes } from './partners/sites/routes.ts'
import { scimRoutes } from './federation/scim/routes.ts'
import { statusRoutes } from './operations/status/routes.ts'
import { createStatus } from './operations/status/status.ts'
import { tokenRoutes } from './federation/tokens/routes.ts'
import { userRoutes } from './people/users/routes.ts'
import { describeEvents } from './events/webhooks/envelope.ts'
import { webhookRoutes } from './events/webhooks/routes.ts'

/** Registers the routes of every feature, in reading order. */
export async function registerFeatures(app: App, parts: SsoParts, limiter: Limiter) {
  await brandingRoutes(app, parts)
  signInRoutes(app, parts)
  mfaRoutes(app, parts)
  passwordRoutes(app, parts)
  hostedRoutes(app, parts, limiter)
  accountRoutes(app, parts)
  accountSecurityRoutes(app, parts)
  accountSessionsRoutes(app, parts)
  connectedSitesRoutes(app, parts)
  tokenRoutes(app, parts)
  openIdRoutes(app, parts, limiter)
  enterpriseRoutes(app, parts, limiter)
  scimRoutes(app, parts)
  keyRotationRoutes(app, parts)
  sessionRoutes(app, parts)
  userRoutes(app, parts)
  erasureRoutes(app, parts)
  roleRoutes(app, parts)
  directoryRoutes(app, parts)
  siteRoutes(app, parts)
  approvalRoutes(app, parts)
  webhookRoutes(app, parts)
  outboxRoutes(app, parts)
  bulkRoutes(app, parts)
  paymentRoutes(app, parts)
  sandboxRoutes(app, parts)
  retentionRoutes(app, parts)
  installationRoutes(app, parts)
  auditRoutes(app, parts)
  overviewRoutes(app, parts)
  consoleRoutes(app, parts, limiter)
  statusRoutes(app, createStatus(parts, limiter))
  operationalRoutes(app, parts)
  referenceRoutes(app, {
    url: '/api/v1/openapi.json',
    auth: 'site_or_admin',
    assets,
    addressOf: parts.ssoUrl,
    more: { webhooks: describeEvents() },
  })
}
