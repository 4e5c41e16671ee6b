import { Type } from 'typebox'
import { notFound } from '#foundation/errors.ts'
import { type App, callerOf } from '#foundation/http/http.ts'
import type { Addressed } from '#foundation/http/public-address.ts'
import { OneOf } from '#foundation/http/schemas.ts'
import { LANGUAGES } from '#foundation/web/client/texts.ts'
import type { Learning } from '../learning.ts'
import {
  CalendarState,
  endCalendar,
  makeCalendar,
  NewCalendar,
  readCalendarState,
  subscriberOf,
} from './address.ts'
import { calendarOf } from './moments.ts'

const user = { auth: 'user', permission: 'learning:use', operational: true } as const
const Feed = {
  200: {
    description: 'A calendar (RFC 5545)',
    content: { 'text/calendar': { schema: Type.String() } },
  },
} as object

export function calendarRoutes(
  app: App,
  { db, viewerOf }: Learning,
  addressOf: (request: Addressed) => string,
) {
  app.get('/api/calendar', { config: user, schema: { response: { 200: CalendarState } } }, async (request) =>
    readCalendarState(db, viewerOf(callerOf(request))),
  )
  app.post(
    '/api/calendar',
    {
      config: { ...user, compress: false },
      schema: {
        body: Type.Object({ language: OneOf([...LANGUAGES]) }),
        response: { 201: NewCalendar },
      },
    },
    async (request, reply) => {
      const { token, created_at } = await makeCalendar(db, viewerOf(callerOf(request)), request.body.language)
      reply.header('Cache-Control', 'no-store')
      return reply.code(201).send({ url: `${addressOf(request)}/calendar/${token}.ics`, created_at })
    },
  )
  app.delete(
    '/api/calendar',
    { config: user, schema: { response: { 200: CalendarState } } },
    async (request) => {
      await endCalendar(db, viewerOf(callerOf(request)))
      return { created_at: null }
    },
  )
  app.get(
    '/calendar/:file',
    {
      config: { auth: 'public', operational: true },
      schema: { params: Type.Object({ file: Type.String({ maxLength: 400 }) }), response: Feed },
    },
    async (request, reply) => {
      const { file } = request.params
      const subscriber = file.endsWith('.ics') ? await subscriberOf(db, file.slice(0, -4)) : undefined
      if (!subscriber) throw notFound()
      reply.headers({
        'Cache-Control': 'private, no-store',
        'Content-Type': 'text/calendar; charset=utf-8',
        'Content-Disposition': 'inline; filename="lyceum.ics"',
        'Referrer-Policy': 'no-referrer',
      })
      return (await calendarOf(db, subscriber, addressOf(request))) as never
    },
  )
}
