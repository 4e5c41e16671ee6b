import type { App } from '#foundation/http/http.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import type { Identity } from '#foundation/security/session-gate.ts'
import { certificateRoutes } from './certificates/routes.ts'
import { channelRoutes } from './channels/routes.ts'
import { copyRoutes } from './copying/routes.ts'
import { type FeedParts, feedRoutes } from './device-feed/routes.ts'
import { ownAttemptRoutes } from './exams/own-routes.ts'
import { examRoutes } from './exams/routes.ts'
import { fileRoutes } from './files/routes.ts'
import { homeworkRoutes } from './homework/routes.ts'
import { innovationRoutes } from './innovation/routes.ts'
import { lessonRoutes } from './lessons/routes.ts'
import type { Model } from './language-model/model.ts'
import { enrollmentRoutes } from './enrollments/routes.ts'
import { gradeRoutes } from './grades/routes.ts'
import { calendarRoutes } from './calendar/routes.ts'
import { notificationRoutes } from './notifications/routes.ts'
import type { Unsubscribe } from './notifications/unsubscribe.ts'
import { unsubscribeRoutes } from './unsubscribe/routes.ts'
import { noteRoutes } from './notes/routes.ts'
import { postRoutes } from './posts/routes.ts'
import type { ExamParts } from './exams/parts.ts'
import { pageRoutes } from './pages/routes.ts'
import { progressRoutes } from './progress/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { type SystemParts, systemRoutes } from './system/routes.ts'
import { teachingRoutes } from './teaching/routes.ts'
import { videoRoutes } from './videos/routes.ts'

/** Registers all routes of the service, one line per feature. */
export function registerFeatures(
  app: App,
  learning: ExamParts,
  parts: Pick<FeedParts, 'addressOf'> & {
    system: SystemParts
    model: Model | undefined
    identity: Identity
    unsubscribe: Unsubscribe
    keys: Pick<MasterKeys, 'derive'>
    quota: number
    sends_mail: boolean
  },
) {
  channelRoutes(app, learning)
  videoRoutes(app, learning)
  enrollmentRoutes(app, learning)
  progressRoutes(app, learning)
  gradeRoutes(app, learning)
  certificateRoutes(app, learning, parts)
  homeworkRoutes(app, learning, parts.quota)
  lessonRoutes(app, learning)
  teachingRoutes(app, learning, parts.sends_mail)
  noteRoutes(app, learning)
  postRoutes(app, { ...learning, identity: parts.identity })
  examRoutes(app, learning)
  ownAttemptRoutes(app, learning)
  fileRoutes(app, learning, parts.quota)
  copyRoutes(app, learning, parts.quota)
  notificationRoutes(app, learning)
  unsubscribeRoutes(app, learning.db, parts.unsubscribe)
  calendarRoutes(app, learning, parts.addressOf)
  innovationRoutes(app, learning, parts.model)
  feedRoutes(app, { ...learning, ...parts })
  searchRoutes(app, learning)
  systemRoutes(app, parts.system)
  pageRoutes(app, parts.system)
}
