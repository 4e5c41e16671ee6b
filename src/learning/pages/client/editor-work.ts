import { texts } from '#foundation/web/client/language.ts'
import type { Homework, Test } from '../api-types.ts'
import { confirmed } from './dialog.ts'
import { WORK_TEXTS } from './work-texts.ts'
import type { Part } from './editor-part.ts'
import { act } from './form.ts'
import { toast } from './toast.ts'

const t = texts(WORK_TEXTS)

/** The homework or the tests of a lesson. */
export type Work<T> = {
  element: HTMLElement
  set: (items: T[]) => void
  /** Makes a new one and opens it. */
  create: () => Promise<unknown>
  /** Shows what the draft says now. */
  show: () => void
  parts: () => Part[]
  /** Opens the one with this id, because something in it is wrong. */
  openNamed: (id: string) => Promise<void>
}

export async function removed(
  button: HTMLElement,
  title: string,
  consequence: string,
  remove: () => Promise<void>,
) {
  if (!(await confirmed(t('delete_ask', { title }), consequence, t('delete')))) return
  const worked = await act(button, remove)
  if (worked) toast(t('deleted', { title }))
}

export const HOMEWORK_FIELDS = [
  'title',
  'instructions',
  'status',
  'submission_types',
  'max_score',
  'weight',
  'due_at',
  'lock_at',
  'late_policy',
  'late_penalty_percent_per_day',
  'late_penalty_max_percent',
  'max_submissions',
  'rubric',
] as const

export const publishedHomework = (all: readonly Homework[]): Record<string, unknown> =>
  Object.fromEntries(
    all.flatMap((homework) =>
      HOMEWORK_FIELDS.map((field) => [`homework.${homework.id}.${field}`, homework[field]]),
    ),
  )

export const testStatus = (id: string): string => `test.${id}.status`

export const publishedTests = (all: readonly Test[]): Record<string, unknown> =>
  Object.fromEntries(all.map(({ id, status }) => [testStatus(id), status]))
