import { randomBytes } from 'node:crypto'
import { formOf } from '#testing/books.ts'
import { world } from '#testing/world.ts'
import { type Cast, CLIENT, openCast } from './cast.ts'
import type { Columns, Row } from './matrix.ts'
import * as of from './sso-objects.ts'

const { sso } = await world()

const columns: Columns<Cast> = [
  ['a token of the site', ({ headers }) => headers.own],
  ['a token of another partner site', ({ headers }) => headers.other],
  ['a token of the console', ({ headers }) => headers.console],
  ['a token of an operator', ({ headers }) => headers.operator],
  ['a token of learning', ({ headers }) => headers.learning],
  ['a token of a plain member', ({ headers }) => headers.member],
  ['a token of a stranger', ({ headers }) => headers.stranger],
  ['the site key', ({ headers }) => headers.key],
  ["a token of the site's back end", ({ headers }) => headers.client],
  ['no token', ({ headers }) => headers.nobody],
]

const NOBODY = '401 401 401 401 401 401 401 401 401 401'
const SCIM = [
  'GET    /scim/v2/:connection_id/ServiceProviderConfig',
  'GET    /scim/v2/:connection_id/ResourceTypes',
  'GET    /scim/v2/:connection_id/ResourceTypes/:id',
  'GET    /scim/v2/:connection_id/Schemas',
  'GET    /scim/v2/:connection_id/Schemas/:id',
  'GET    /scim/v2/:connection_id/Users',
  'POST   /scim/v2/:connection_id/Users',
  'GET    /scim/v2/:connection_id/Users/:id',
  'PUT    /scim/v2/:connection_id/Users/:id',
  'PATCH  /scim/v2/:connection_id/Users/:id',
  'DELETE /scim/v2/:connection_id/Users/:id',
  'POST   /scim/v2/:connection_id/Bulk',
  'GET    /scim/v2/:connection_id/Groups',
  'POST   /scim/v2/:connection_id/Groups',
  'GET    /scim/v2/:connection_id/Groups/:id',
  'PUT    /scim/v2/:connection_id/Groups/:id',
  'PATCH  /scim/v2/:connection_id/Groups/:id',
  'DELETE /scim/v2/:connection_id/Groups/:id',
]

const newEmail = () => `new-${randomBytes(5).toString('hex')}@example.org`
const newUrl = () => `https://1.1.1.1/${randomBytes(5).toString('hex')}`

/**
 * The first three tokens and that of `learning` belong to one person: ADMIN of the site and of the other one, a plain
 * member of `console` and `learning`. A member of the site gets 403 for forbidden operations on the site, and 404 for
 * people, sessions, imports and orders; a stranger gets 404.
 */
const rows: Row<Cast>[] = [
  //                                                      own oth con opr lrn mem str key cli non
  [
    'GET    /api/v1/users?site_code',
    '200 none 200 200 200 none 404 401 200 401',
    of.person,
    { shows: 'user_id' },
  ],
  [
    'POST   /api/v1/users',
    '201 403 201 201 201 403 404 401 201 401',
    of.site,
    { body: ({ site_code }) => ({ site_code, email: newEmail() }) },
  ],
  ['GET    /api/v1/users/erasures?site_code', '200 403 200 200 200 403 404 401 200 401', of.site],
  ['GET    /api/v1/users/:user_id', '200 404 200 200 200 404 404 401 200 401', of.person],
  [
    'PATCH  /api/v1/users/:user_id',
    '200 404 200 200 200 404 404 401 200 401',
    of.person,
    { body: { display_name: 'Anna' } },
  ],
  [
    'PATCH  /api/v1/users/:user_id?site_code',
    '200 404 200 200 200 404 404 401 200 401',
    of.person,
    { body: { member_status: 'suspended' } },
  ],
  [
    'POST   /api/v1/users/acts',
    '200 403 200 200 200 403 404 401 403 401',
    of.person,
    { body: ({ site_code, user_id }) => ({ act: 'suspend', site_code, user_ids: [user_id] }) },
  ],
  ['DELETE /api/v1/users/:user_id', '204 404 204 204 204 404 404 401 204 401', of.person],
  ['GET    /api/v1/users/:user_id/export', '200 404 200 200 200 404 404 401 200 401', of.person],
  ['DELETE /api/v1/users/:user_id/mfa', '204 404 204 204 204 403 404 401 403 401', of.person],
  ['DELETE /api/v1/users/:user_id/sessions', '204 404 204 204 204 403 404 401 204 401', of.person],
  [
    'POST   /api/v1/users/:user_id/roles',
    '201 403 201 201 201 403 404 401 201 401',
    of.person,
    { body: ({ site_code }) => ({ site_code, role: 'ADMIN' }) },
  ],
  [
    'DELETE /api/v1/users/:user_id/roles/:role?site_code',
    '204 403 204 204 204 403 404 401 204 401',
    of.admin,
  ],
  ['GET    /api/v1/roles?site_code', '200 200 200 200 200 200 404 401 200 401', of.site],
  ['DELETE /api/v1/sessions/:session_id', '204 404 204 204 204 404 404 401 204 401', of.person],
  // What belongs to a person; here the person is the ADMIN of the site.
  ['GET    /api/v1/users/:user_id/export', '403 403 200 200 200 404 404 401 403 401', of.oneself],
  ['DELETE /api/v1/users/:user_id', '403 403 204 409 204 404 404 401 409 401', of.oneself, { isAlone: true }],
  ['DELETE /api/v1/consents/:site_id', '403 403 204 404 204 403 403 401 403 401', of.site, { isAlone: true }],
  // A factor of another person. Partner tokens get 403 whoever owns the factor.
  [
    'POST   /api/v1/mfa/factors/:factor_id/activate',
    '403 403 404 404 404 403 403 401 403 401',
    of.factor,
    { body: { code: '123456' } },
  ],
  ['DELETE /api/v1/mfa/factors/:factor_id', '403 403 404 404 404 403 403 401 403 401', of.factor],

  [
    'POST   /api/v1/sites',
    '201 404 201 201 201 404 404 401 403 401',
    of.site,
    { body: ({ tenant_id }) => ({ tenant_id, name: 'Sandbox', environment: 'sandbox' }) },
  ],
  [
    'GET    /api/v1/sites/managed?site_id',
    '200 none 200 200 200 none none 401 200 401',
    of.site,
    { shows: 'site_id' },
  ],
  ['GET    /api/v1/sites/:site_id', '200 403 200 200 200 403 404 401 200 401', of.site],
  [
    'PATCH  /api/v1/sites/:site_id',
    '200 403 200 200 200 403 404 401 200 401',
    of.site,
    { body: { name: 'Renamed' } },
  ],
  [
    'PATCH  /api/v1/sites/:site_id',
    '403 403 403 200 403 403 404 401 403 401',
    of.untrusted,
    { body: { trust_client_ip: true } },
  ],
  ['DELETE /api/v1/sites/:site_id', '204 403 204 204 204 403 404 401 204 401', of.site, { isAlone: true }],
  ['GET    /api/v1/sites/:site_id/keys', '200 403 200 200 200 403 404 401 200 401', of.site],
  ['POST   /api/v1/sites/:site_id/keys', '201 403 201 201 201 403 404 401 201 401', of.oneKey],
  ['DELETE /api/v1/sites/:site_id/keys/:hint', '204 403 204 204 204 403 404 401 204 401', of.key],
  [
    'POST   /api/v1/sites/:site_id/jwt-secret/rotate',
    '200 403 200 200 200 403 404 401 200 401',
    of.site,
    { isAlone: true },
  ],
  ['POST   /api/v1/sites/:site_id/webhook-secret/rotate', '200 403 200 200 200 403 404 401 200 401', of.site],
  ['GET    /api/v1/sites/:site_id/domain-proof', '200 403 200 200 200 403 404 401 200 401', of.site],
  ['POST   /api/v1/sites/:site_id/domain-proof', '200 403 200 200 200 403 404 401 200 401', of.site],
  ['POST   /api/v1/admin/sites/:site_id/approve', '403 403 403 200 403 403 403 401 403 401', of.site],
  [
    'PATCH  /api/v1/admin/sites/:site_id',
    '403 403 403 200 403 403 403 401 403 401',
    of.site,
    { body: { trust_client_ip: false } },
  ],

  ['GET    /api/v1/sites/:site_id/openid-client', '200 403 200 200 200 403 404 401 200 401', of.site],
  [
    'PUT    /api/v1/sites/:site_id/openid-client',
    '200 403 200 200 200 403 404 401 403 401',
    of.site,
    { body: CLIENT, isAlone: true },
  ],
  [
    'POST   /api/v1/sites/:site_id/openid-client/secret',
    '200 403 200 200 200 403 404 401 403 401',
    of.site,
    { isAlone: true },
  ],
  [
    'DELETE /api/v1/sites/:site_id/openid-client',
    '204 403 204 204 204 403 404 401 403 401',
    of.site,
    { isAlone: true },
  ],

  ['GET    /api/v1/sites/:site_id/connections', '200 403 200 200 200 403 404 401 200 401', of.site],
  [
    'POST   /api/v1/sites/:site_id/connections',
    '201 403 201 201 201 403 404 401 201 401',
    of.noConnection,
    { body: of.CONNECTION },
  ],
  [
    'GET    /api/v1/sites/:site_id/connections/:connection_id',
    '200 403 200 200 200 403 404 401 200 401',
    of.connection,
  ],
  [
    'PATCH  /api/v1/sites/:site_id/connections/:connection_id',
    '200 403 200 200 200 403 404 401 200 401',
    of.connection,
    { body: { name: 'Renamed' } },
  ],
  [
    'DELETE /api/v1/sites/:site_id/connections/:connection_id',
    '204 403 204 204 204 403 404 401 204 401',
    of.connection,
  ],
  [
    'POST   /api/v1/sites/:site_id/connections/:connection_id/test',
    '502 403 502 502 502 403 404 401 502 401',
    of.connection,
  ],
  [
    'GET    /api/v1/sites/:site_id/connections/:connection_id/sign-ins',
    '200 403 200 200 200 403 404 401 200 401',
    of.connection,
  ],
  [
    'GET    /api/v1/sites/:site_id/connections/:connection_id/claims',
    '200 403 200 200 200 403 404 401 200 401',
    of.connection,
  ],
  // This connection has no encryption keys: 422.
  [
    'POST   /api/v1/sites/:site_id/connections/:connection_id/encryption-keys',
    '422 403 422 422 422 403 404 401 422 401',
    of.connection,
  ],
  [
    'POST   /api/v1/sites/:site_id/connections/:connection_id/domains',
    '201 403 201 201 201 403 404 401 201 401',
    of.connection,
    { body: { domain: 'other.example.org' } },
  ],
  [
    'POST   /api/v1/sites/:site_id/connections/:connection_id/domains/:domain/verify',
    '200 403 200 200 200 403 404 401 200 401',
    of.connection,
  ],
  [
    'POST   /api/v1/sites/:site_id/connections/:connection_id/domains/:domain/verify',
    '403 403 403 200 403 403 404 401 403 401',
    of.connection,
    { body: { is_override: true } },
  ],
  [
    'DELETE /api/v1/sites/:site_id/connections/:connection_id/domains/:domain',
    '204 403 204 204 204 403 404 401 204 401',
    of.connection,
  ],
  [
    'GET    /api/v1/sites/:site_id/connections/:connection_id/scim-tokens',
    '200 403 200 200 200 403 404 401 200 401',
    of.connection,
  ],
  [
    'POST   /api/v1/sites/:site_id/connections/:connection_id/scim-tokens',
    '201 403 201 201 201 403 404 401 201 401',
    of.connection,
    { body: { name: 'Directory' } },
  ],
  [
    'DELETE /api/v1/sites/:site_id/connections/:connection_id/scim-tokens/:token_id',
    '204 403 204 204 204 403 404 401 204 401',
    of.scimToken,
  ],
  // Only the token of a directory opens these.
  ...SCIM.map((operation) => [operation, NOBODY, of.provisioned] as const),

  [
    'GET    /api/v1/webhooks?site_code',
    '200 403 200 200 200 403 404 401 200 401',
    of.endpoint,
    { shows: 'webhook_id' },
  ],
  [
    'POST   /api/v1/webhooks',
    '201 403 201 201 201 403 404 401 201 401',
    of.endpoint,
    { body: ({ site_code }) => ({ site_code, webhook_url: newUrl() }) },
  ],
  [
    'GET    /api/v1/webhooks/events?site_code',
    '200 403 200 200 200 403 404 401 200 401',
    of.event,
    { shows: 'event_id' },
  ],
  ['GET    /api/v1/webhooks/events/:event_id', '200 403 200 200 200 403 404 401 200 401', of.event],
  [
    'GET    /api/v1/webhooks/figures?site_code',
    '200 403 200 200 200 403 404 401 200 401',
    of.endpoint,
    { shows: 'webhook_id' },
  ],
  ['POST   /api/v1/webhooks/events/:event_id/replay', '202 403 202 202 202 403 404 401 202 401', of.event],
  ['GET    /api/v1/webhooks/:webhook_id', '200 403 200 200 200 403 404 401 200 401', of.endpoint],
  [
    'PATCH  /api/v1/webhooks/:webhook_id',
    '200 403 200 200 200 403 404 401 200 401',
    of.endpoint,
    { body: { description: 'Ours' } },
  ],
  ['DELETE /api/v1/webhooks/:webhook_id', '204 403 204 204 204 403 404 401 204 401', of.endpoint],
  ['POST   /api/v1/webhooks/:webhook_id/test', '202 403 202 202 202 403 404 401 202 401', of.endpoint],

  // Messages of a production site are only for their recipients.
  ['GET    /api/v1/messages?site_code', '403 403 403 403 403 403 404 401 403 401', of.site],
  [
    'GET    /api/v1/admin/messages?site_code',
    '200 403 200 200 200 403 404 401 200 401',
    of.message,
    { shows: 'message_id' },
  ],
  ['POST   /api/v1/admin/messages/:message_id/resend', '202 404 202 202 202 403 404 401 403 401', of.message],
  [
    'POST   /api/v1/admin/messages/:message_id/send-now',
    '202 404 202 202 202 403 404 401 403 401',
    of.waiting,
  ],
  ['GET    /api/v1/audit?site_code', '200 403 200 200 200 403 404 401 200 401', of.site],
  [
    'GET    /api/v1/audit/export?site_code&format',
    '200 403 200 200 200 403 404 401 200 401',
    async (cast) => ({ ...(await of.site(cast)), format: 'csv' }),
  ],
  ['GET    /api/v1/console/figures?site_code', '200 403 200 200 200 403 404 401 200 401', of.site],
  [
    'POST   /api/v1/bulk/register',
    '202 403 202 202 202 403 404 401 202 401',
    of.site,
    {
      send: ({ site_code = '' }) =>
        formOf(Buffer.from(`email\n${newEmail()}\n`), { site_code }, 'people.csv'),
    },
  ],
  [
    'GET    /api/v1/bulk/jobs?site_code',
    '200 403 200 200 200 403 404 401 200 401',
    of.job,
    { shows: 'job_id' },
  ],
  ['GET    /api/v1/bulk/jobs/:job_id', '200 404 200 200 200 403 404 401 200 401', of.job],
  ['GET    /api/v1/bulk/jobs/:job_id/errors.csv', '200 404 200 200 200 403 404 401 200 401', of.job],
  ['POST   /api/v1/bulk/jobs/:job_id/cancel', '200 404 200 200 200 403 404 401 200 401', of.job],
  ['GET    /api/v1/tenants/:tenant_id/import-quota', '200 404 200 200 200 403 404 401 200 401', of.site],
  [
    'PUT    /api/v1/tenants/:tenant_id/import-quota',
    '403 403 403 200 403 403 403 401 403 401',
    of.site,
    { body: { people_per_day: 5_000 } },
  ],

  [
    'GET    /api/v1/payments/orders?site_code',
    '200 403 200 200 200 403 404 401 200 401',
    of.order,
    { shows: 'order_id' },
  ],
  ['GET    /api/v1/payments/orders/:order_id', '200 404 200 200 200 404 404 401 200 401', of.order],
  [
    'POST   /api/v1/admin/orders',
    '403 403 403 201 403 403 403 401 403 401',
    of.site,
    { body: ({ site_code }) => ({ site_code, plan: 'business', amount: 100 }) },
  ],
  [
    'POST   /api/v1/admin/orders/:order_id/transition',
    '403 403 403 200 403 403 403 401 403 401',
    of.order,
    { body: { status: 'paid' } },
  ],
  // A production site, which nobody may wipe.
  [
    'POST   /api/v1/admin/sandbox/wipe',
    '403 403 403 403 403 403 403 401 403 401',
    of.site,
    { body: ({ site_code }) => ({ site_code }) },
  ],

  [
    'GET    /api/v1/console/people/:user_id',
    '200 404 200 200 200 403 404 401 200 401',
    of.person,
    { shows: 'session_id' },
  ],

  // Pages ask for the cookie of the console, so whoever has only a token is sent to sign in; test/browser/console-sites.test.ts has the rest.
  ['GET    /console/people/:user_id', '303 303 303 303 303 303 303 303 303 303', of.person],
  ['GET    /console/sites/:site_id', '303 303 303 303 303 303 303 303 303 303', of.site],

  // Open to browsers and identity providers, who have no token of ours.
  ['GET    /assets/:build/*', '404 404 404 404 404 404 404 404 404 404', of.nothing],
  ['GET    /sso/:connection_id/start', '400 400 400 400 400 400 400 400 400 400', of.connection],
  ['GET    /sso/oidc/callback/:connection_id', '401 401 401 401 401 401 401 401 401 401', of.connection],
  ['POST   /sso/saml/:connection_id/acs', '400 400 400 400 400 400 400 400 400 400', of.connection],
  ['GET    /sso/saml/:connection_id/finish', '404 404 404 404 404 404 404 404 404 404', of.connection],
  ['POST   /sso/saml/:connection_id/slo', '400 400 400 400 400 400 400 400 400 400', of.connection],
  ['GET    /sso/saml/:connection_id/metadata', '404 404 404 404 404 404 404 404 404 404', of.connection],
  ['POST   /sso/oidc/logout/:connection_id', '400 400 400 400 400 400 400 400 400 400', of.connection],
]

export const ssoMatrix = { app: sso, columns, open: openCast, rows }
