import type { Static } from 'typebox'
import type { Channel as ChannelSchema, ListedChannel as ListedSchema } from '../channels/channel.ts'
import type { EnrollmentPage as EnrollmentPageSchema } from '../enrollments/enrollment.ts'
import type { Episode as EpisodeSchema } from '../episodes/episode.ts'
import type { AuthorPage as AuthorPageSchema, StudentPage as StudentPageSchema } from '../exams/page.ts'
import type { HomeworkPage as HomeworkPageSchema } from '../homework/homework.ts'
import type {
  CalendarState as CalendarSchema,
  NewCalendar as NewCalendarSchema,
} from '../calendar/address.ts'
import type { NotificationPage as NotificationSchema } from '../notifications/list.ts'
import type { Submission as SubmissionSchema } from '../homework/submission.ts'
import type { LearnerPage as LearnerPageSchema } from '../teaching/learners.ts'
import type { Today as TodaySchema } from '../teaching/today.ts'
import type { QuestionPage as QuestionPageSchema } from '../posts/post.ts'
import type { Progress as ProgressSchema } from '../progress/progress.ts'
import type { Video as VideoSchema, VideoStats as VideoStatsSchema } from '../media/video.ts'

/*
 * The API types of the pages, derived from the schemas of the routes. Modules of `client/` import them from here. Types
 * only, so nothing of this file reaches a browser.
 */

export type { ChannelChange } from '../channels/channel.ts'
export type { ChannelPreview } from '../channels/preview.ts'
export type { ChannelChoices } from '../channels/choices.ts'
export type { Activity, DueItem, Enrollment } from '../enrollments/enrollment.ts'
export type { Attempt } from '../exams/attempts.ts'
export type { BankPage } from '../exams/bank.ts'
export type { TestDraft } from '../exams/draft.ts'
export type { Test, TestChange } from '../exams/exam.ts'
export type { QuestionType } from '../exams/kinds.ts'
export type { LearnerAttempts } from '../exams/one-learner.ts'
export type { Teachers } from '../teaching/teachers.ts'
export type { QuestionBody, QuestionChange } from '../exams/question.ts'
export type { AttemptReview } from '../exams/review.ts'
export type { RightAnswer } from '../exams/right-answer.ts'
export type { AuthorQuestion, StudentQuestion } from '../exams/views.ts'
export type { StoredFile } from '../files/file.ts'
export type { Grade } from '../grades/grade.ts'
export type { HomeworkDraft } from '../homework/draft.ts'
export type { GradeBody, NewSubmission } from '../homework/submission.ts'
export type { Changes as LessonChanges } from '../lessons/change.ts'
export type { Preferences } from '../notifications/preferences.ts'
export type { Review } from '../innovation/review.ts'
export type { RunResult } from '../innovation/run.ts'
export type { InnovationStatus } from '../innovation/status.ts'
export type { Suggestion, SuggestionStatus } from '../innovation/suggestion.ts'
export type { Note } from '../notes/note.ts'
export type { Post } from '../posts/post.ts'
export type { ProgressBody } from '../progress/progress.ts'
export type { Caption, Chapter } from '../media/video.ts'
export type { ToGrade } from '../teaching/to-grade.ts'
export type { Hit, SearchPage } from '../search/search.ts'

/** The list envelope. Some lists have more fields. */
export type Page<T> = { items: T[]; total: number; page: number; per_page: number; pages: number }
export type Channel = Static<typeof ChannelSchema>
export type ListedChannel = Static<typeof ListedSchema>
export type Episode = Static<typeof EpisodeSchema>
export type Video = Static<typeof VideoSchema>
export type VideoStats = Static<typeof VideoStatsSchema>
export type HomeworkPage = Static<typeof HomeworkPageSchema>
export type Homework = HomeworkPage['items'][number]
export type Submission = Static<typeof SubmissionSchema>
export type EnrollmentPage = Static<typeof EnrollmentPageSchema>
export type AuthorPage = Static<typeof AuthorPageSchema>
export type StudentPage = Static<typeof StudentPageSchema>
export type Progress = Static<typeof ProgressSchema>
export type QuestionPage = Static<typeof QuestionPageSchema>
export type LearnerPage = Static<typeof LearnerPageSchema>
export type Learner = LearnerPage['items'][number]
export type Today = Static<typeof TodaySchema>
/** GET /api/info */
export type Info = {
  name: string
  version: string
  sso_url: string
  user: { id: string; email: string; role: string; is_admin: boolean; locale: string | null } | null
}
export type NotificationPage = Static<typeof NotificationSchema>
export type CalendarState = Static<typeof CalendarSchema>
export type NewCalendar = Static<typeof NewCalendarSchema>
