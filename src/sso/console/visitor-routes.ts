import type { FastifyRequest } from 'fastify'
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { ApiError } from '#foundation/errors.ts'
import type { App } from '#foundation/http/http.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { isOperator } from '../core/access/access.ts'
import type { Fault } from '../core/pages/layout.ts'
import { formOf, pageConfig, sendAnswer, visitsOf } from '../core/pages/requests.ts'
import { type Answer, type Visit, withQuery } from '../core/pages/visit.ts'
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
/** A whole page, or what the page that is shown again should say. */
type Outcome = { page: string } | { notice: string }

/** Registers pages of the console. A form is valid only for the person it was shown to. */
export function consolePages(app: App, parts: SsoParts) {
  const visitOf = visitsOf(parts)

  /** The visitor, or the answer that leads to the sign-in at the console and back. */
  async function admit(
    request: FastifyRequest,
  ): Promise<{ visit: Visit; caller: Caller } | { answer: Answer }> {
    const visit = visitOf(request)
    const caller = await visitorOf(parts, visit)
    if (caller?.site_code === 'console') return { visit, caller }
    const return_to = `${visit.address}${request.method === 'GET' ? request.url : '/console'}`
    return { answer: { location: withQuery('/sign-in', { site_code: 'console', return_to }) } }
  }
  const answerOf = async <A extends Address>(
    { visit, caller }: { visit: Visit; caller: Caller },
    asked: Asked<A>,
    show: Show<A>,
    said: Pick<Visitor, 'notice' | 'faults'> = {},
  ): Promise<Answer> => {
    const { form_token, cookie } = visit.nextForm(subjectOf(caller))
    const visitor = { caller, is_operator: isOperator(caller), from: visit.from, form_token, ...said }
    return {
      page: await show(visitor, asked),
      cookies: [cookie],
      ...(said.faults && { status: 422 }),
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
        const asked = { params: request.params, query: request.query } as Asked<A>
        return sendAnswer(reply, await answerOf(found, asked, show))
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
        const { visit, caller } = found
        const body = request.body as Static<TObject<F>> & { form_token: string }
        visit.requireOwnForm(body.form_token, subjectOf(caller))
        const asked = { params: request.params, query: request.query } as Asked<A>
        const { form_token, cookie } = visit.nextForm(subjectOf(caller))
        const visitor = { caller, is_operator: isOperator(caller), from: visit.from, form_token }
        try {
          const outcome = await act(visitor, asked, body)
          if ('page' in outcome) return sendAnswer(reply, { page: outcome.page, cookies: [cookie] })
          return sendAnswer(reply, await answerOf(found, asked, show, outcome))
        } catch (error) {
          return sendAnswer(reply, await answerOf(found, asked, show, { faults: faultsOf(error) }))
        }
      },
    )
  return { get, post }
}

const subjectOf = ({ user_id }: Caller) => `console ${user_id}`

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
