import type { App } from '#foundation/http.ts'
import { channelRoutes } from './channels/routes.ts'
import type { Feed } from './device-feed/routes.ts'
import { examRoutes } from './exams/routes.ts'
import { homeworkRoutes } from './homework/routes.ts'
import { enrollmentRoutes } from './enrollments/routes.ts'
import { gradeRoutes } from './grades/routes.ts'
import type { Learning } from './learning.ts'
import { progressRoutes } from './progress/routes.ts'
import { type SystemParts, systemRoutes } from './system/routes.ts'
import { videoRoutes } from './videos/routes.ts'

/** What the learning service does: its table of contents. */
export function registerFeatures(app: App, learning: Learning, parts: { feed: Feed; system: SystemParts }) {
  channelRoutes(app, learning)
  videoRoutes(app, learning)
  enrollmentRoutes(app, learning)
  progressRoutes(app, learning)
  gradeRoutes(app, learning)
  homeworkRoutes(app, learning)
  examRoutes(app, learning)
  parts.feed.routes(app)
  systemRoutes(app, parts.system)
}
