import { Type } from 'typebox'
import type { App } from '#foundation/http/http.ts'
import { OneOf, Uuid } from '#foundation/http/schemas.ts'
import { Line, NoQuery, pagesOf } from '../../core/pages/requests.ts'
import type { SsoParts } from '../../core/parts.ts'
import { FACTOR_TYPES } from '../factors/factors.ts'
import { FirstProofFields } from '../hosted/second-factor-question.ts'
import { DONE, getSecurity, postActivate, postAdd, postRecoveryCodes, postRemove } from './visit-security.ts'

/** Pages on which people manage their second factors. Each asks for a proof that is not older than 15 minutes. */
export function accountSecurityRoutes(app: App, parts: SsoParts) {
  const { get, post } = pagesOf(app, parts)
  const querystring = NoQuery
  const type = OneOf([...FACTOR_TYPES])
  const done = Type.Optional(OneOf([...DONE]))
  get('/account/security', Type.Object({ done }), (visit, query) => getSecurity(parts, visit, query))
  // Reloading an answer to a form, or going back to it, leads here.
  for (const step of ['add', 'activate', 'remove', 'recovery-codes'])
    get(`/account/security/${step}`, querystring, () => ({ location: '/account/security' }))
  post(
    '/account/security/add',
    { querystring, fields: { type, phone: Type.Optional(Line) } },
    (visit, _, chosen) => postAdd(parts, visit, chosen),
  )
  post(
    '/account/security/activate',
    { querystring, fields: { ...FirstProofFields, factor_id: Uuid, type } },
    (visit, _, given) => postActivate(parts, visit, given),
  )
  post('/account/security/remove', { querystring, fields: { factor_id: Uuid } }, (visit, _, { factor_id }) =>
    postRemove(parts, visit, factor_id),
  )
  post('/account/security/recovery-codes', { querystring, fields: {} }, (visit) =>
    postRecoveryCodes(parts, visit),
  )
}
