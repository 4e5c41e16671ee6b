import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { ApiError } from '#foundation/errors.ts'
import type { App } from '#foundation/http/http.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import type { Fault } from '../core/pages/layout.ts'
import { formOf, pageConfig, sendAnswer, visitsOf } from '../core/pages/requests.ts'
import type { SsoParts } from '../core/parts.ts'
import { createVetUrl } from '../events/webhooks/endpoints.ts'
import { createSite } from '../partners/sites/create.ts'
import { newSitePage, siteMadePage } from './new-site-pages.ts'
import type { Admit } from './visitor-routes.ts'

const URL = '/console/sites/new'
const Body = formOf({
  name: Type.Optional(Type.String({ maxLength: 200 })),
  environment: OneOf(['sandbox', 'production']),
  callback_url: Type.Optional(Type.String({ maxLength: 2_048 })),
})

/** The form for a new site, until a live page does it. */
export function newSiteRoutes(app: App, parts: SsoParts, admit: Admit): void {
  const visitOf = visitsOf(parts)
  const vetUrl = createVetUrl(parts)
  const subjectOf = (user_id: string) => `console ${user_id}`
  const show = (request: FastifyRequest, user_id: string, faults?: readonly Fault[]) => {
    const { form_token, cookie } = visitOf(request).nextForm(subjectOf(user_id))
    return { page: newSitePage(form_token, faults), cookies: [cookie] }
  }

  app.get(URL, { config: pageConfig, schema: { hide: true } }, async (request, reply) => {
    const found = await admit(request)
    return sendAnswer(reply, 'answer' in found ? found.answer : show(request, found.caller.user_id))
  })

  app.post(
    URL,
    { config: { ...pageConfig, form: true }, schema: { hide: true, body: Body } },
    async (request, reply) => {
      const found = await admit(request)
      if ('answer' in found) return sendAnswer(reply, found.answer)
      const { caller } = found
      const visit = visitOf(request)
      visit.requireOwnForm(request.body.form_token, subjectOf(caller.user_id))
      const { name, ...body } = siteOf(request.body)
      if (name === '') {
        const faults = [{ field: 'name', message: 'name is missing' }]
        return sendAnswer(reply, { ...show(request, caller.user_id, faults), status: 422 })
      }
      try {
        const made = await createSite(parts, vetUrl, caller, { name, ...body }, visit.from)
        return await sendAnswer(reply, { page: siteMadePage(made, parts.ssoUrl()) })
      } catch (error) {
        return sendAnswer(reply, { ...show(request, caller.user_id, faultsOf(error)), status: 422 })
      }
    },
  )
}

function siteOf({ name = '', environment, callback_url = '' }: Static<typeof Body>) {
  const address = callback_url.trim()
  return {
    name: name.trim(),
    environment,
    token_signing: 'HS256',
    is_apart: true,
    ...(address && { callback_url: address }),
  } as const
}

/** What the person can mend or must know; any other error gets a page of its own. */
function faultsOf(error: unknown): Fault[] {
  if (!(error instanceof ApiError) || ![403, 409, 422].includes(error.status)) throw error
  return error.errors.length > 0
    ? error.errors.map(({ field, message }) => ({ field, message: `${field} ${message}` }))
    : [{ field: 'main', message: error.detail }]
}
