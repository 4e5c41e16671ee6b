import type { FastifyRequest } from 'fastify'
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { ApiError, unprocessable } from '#foundation/errors.ts'
import type { App } from '#foundation/http/http.ts'
import { type Limiter, refuseOver } from '#foundation/rate-limit/limiter.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperator } from '../core/access/access.ts'
import type { Fault } from '../core/pages/layout.ts'
import { formOf, pageConfig, sendAnswer, visitsOf } from '../core/pages/requests.ts'
import { type Answer, withQuery } from '../core/pages/visit.ts'
import type { Origin, SsoParts } from '../core/parts.ts'
import { visitorOf } from '../sign-in/account/visitor.ts'

/** Somebody signed in at the console. The token reaches the sites they are ADMIN of, or all for an operator. */
export type Visitor = {
  caller: Caller
  is_operator: boolean
  from: Origin
  /** For the forms of the page. */
  form_token: string
  /** What an act of this request said, or why it was refused. */
  notice?: string | undefined
  faults?: readonly Fault[] | undefined
}

type Address = { params: TProperties; query: TProperties }
type Asked<A extends Address> = { params: Static<TObject<A['params']>>; query: Static<TObject<A['query']>> }
type Show<A extends Address> = (visitor: Visitor, asked: Asked<A>) => Promise<string>
const askedBy = <A extends Address>(request: unknown) => request as Asked<A>
/** A whole page, or what the page that is shown again should say. */
type Outcome = { page: string } | { notice: string }

type Admitted = {
  visitor: Visitor
  /** The visitor's access token. */
  token: string
  cookies: string[]
  requireOwnForm: (form_token: string) => void
}
export type Admit = (request: FastifyRequest) => Promise<Admitted | { answer: Answer }>

export type Pages = ReturnType<typeof consolePages>

/** Registers pages of the console. They count like calls of the API; a form is valid only for whom it was shown to. */
export function consolePages(app: App, parts: SsoParts, limiter: Limiter) {
  const visitOf = visitsOf(parts)

  /** The visitor, or the answer that leads to the sign-in at the console and back. */
  async function admit(request: FastifyRequest): Promise<Admitted | { answer: Answer }> {
    const visit = visitOf(request)
    const { address, from } = visit
    const caller = await visitorOf(parts, visit)
    if (caller?.site_code !== 'console') {
      const return_to = `${address}${request.method === 'GET' ? request.url : '/console'}`
      return { answer: { location: withQuery('/sign-in', { site_code: 'console', return_to }) } }
    }
    const limit = parts.config.SSO_RATE_LIMIT_SITE
    refuseOver(await limiter.hit([{ name: 'user', key: caller.user_id, limit }]))
    const subject = `console ${caller.user_id}`
    const { form_token, cookie } = visit.nextForm(subject)
    const visitor = { caller, is_operator: isOperator(caller), from, form_token }
    return {
      visitor,
      token: visit.kept('access') ?? '',
      cookies: [cookie],
      requireOwnForm: (token) => visit.requireOwnForm(token, subject),
    }
  }

  const get = <A extends Address>(url: string, { params, query }: A, show: Show<A>) =>
    app.get(
      url,
      {
        config: pageConfig,
        schema: { hide: true, params: Type.Object(params), querystring: Type.Object(query) },
      },
      async (request, reply) => {
        const found = await admit(request)
        if ('answer' in found) return sendAnswer(reply, found.answer)
        const { visitor, cookies } = found
        return sendAnswer(reply, { page: await show(visitor, askedBy<A>(request)), cookies })
      },
    )

  /** `show` renders the page again, with what `act` says or why it was refused. */
  const post = <A extends Address, F extends TProperties>(
    url: string,
    { params, query, fields }: A & { fields: F },
    show: Show<A>,
    act: (visitor: Visitor, asked: Asked<A>, typed: Static<TObject<F>>) => Promise<Outcome>,
  ) =>
    app.post(
      url,
      {
        config: { ...pageConfig, form: true },
        schema: {
          hide: true,
          params: Type.Object(params),
          querystring: Type.Object(query),
          body: formOf(fields),
        },
      },
      async (request, reply) => {
        const found = await admit(request)
        if ('answer' in found) return sendAnswer(reply, found.answer)
        const { visitor, cookies, requireOwnForm } = found
        const body = request.body as Static<TObject<F>> & { form_token: string }
        requireOwnForm(body.form_token)
        const asked = askedBy<A>(request)
        try {
          const outcome = await act(visitor, asked, body)
          const page = 'page' in outcome ? outcome.page : await show({ ...visitor, ...outcome }, asked)
          return sendAnswer(reply, { page, cookies })
        } catch (error) {
          const page = await show({ ...visitor, faults: faultsOf(error) }, asked)
          return sendAnswer(reply, { page, cookies, status: 422 })
        }
      },
    )
  return { get, post, admit }
}

/** What the person can mend or must know; any other error gets a page of its own. */
function faultsOf(error: unknown): Fault[] {
  if (!(error instanceof ApiError) || ![403, 409, 422].includes(error.status)) throw error
  return error.errors.length > 0
    ? error.errors.map(({ field, message }) => ({ field, message: `${field} ${message}` }))
    : [{ field: 'main', message: error.detail }]
}

/** The version of what a form shows, as text. */
export const Version = Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,8}$' }))
/** What the API calls `version`: the change is refused if somebody else was faster. */
export const versionOf = (text: string | undefined) => (text === undefined ? {} : { version: Number(text) })

/** An empty field of a filter means that nothing was chosen. */
export const given = (value: string | undefined): string | undefined => value?.trim() || undefined

/** What was typed into a field that may not stay empty. */
export function required(field: string, value: string | undefined): string {
  const text = given(value)
  if (text === undefined) throw unprocessable(field, 'required', 'is missing')
  return text
}
