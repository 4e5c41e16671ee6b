import type { App } from '#foundation/http.ts'
import { channelRoutes } from './channels/routes.ts'
import type { Feed } from './device-feed/routes.ts'
import type { Learning } from './learning.ts'
import { type SystemParts, systemRoutes } from './system/routes.ts'
import { videoRoutes } from './videos/routes.ts'

/** What the learning service does: its table of contents. */
export function registerFeatures(app: App, learning: Learning, parts: { feed: Feed; system: SystemParts }) {
  channelRoutes(app, learning)
  videoRoutes(app, learning)
  parts.feed.routes(app)
  systemRoutes(app, parts.system)
}
