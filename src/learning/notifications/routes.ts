import { type App, callerOf } from '#foundation/http/http.ts'
import { CursorQuery } from '#foundation/http/cursor-page.ts'
import type { Learning } from '../learning.ts'
import { listNotifications, markRead, MarkedRead, NotificationPage, ReadBody } from './list.ts'
import { changePreferences, Preferences, PreferencesChange, readPreferences } from './preferences.ts'

const user = { auth: 'user', permission: 'learning:use', operational: true } as const

export function notificationRoutes(app: App, { db, viewerOf }: Learning) {
  app.get(
    '/api/notifications',
    { config: user, schema: { querystring: CursorQuery, response: { 200: NotificationPage } } },
    async (request) => listNotifications(db, viewerOf(callerOf(request)), request.query),
  )
  app.post(
    '/api/notifications/read',
    { config: user, schema: { body: ReadBody, response: { 200: MarkedRead } } },
    async (request) => markRead(db, viewerOf(callerOf(request)), request.body),
  )
  app.get(
    '/api/notifications/settings',
    { config: user, schema: { response: { 200: Preferences } } },
    async (request) => readPreferences(db.pool, viewerOf(callerOf(request))),
  )
  app.put(
    '/api/notifications/settings',
    { config: user, schema: { body: PreferencesChange, response: { 200: Preferences } } },
    async (request) => changePreferences(db, viewerOf(callerOf(request)), request.body),
  )
}
