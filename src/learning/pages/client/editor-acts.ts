import { texts } from '#foundation/web/client/language.ts'
import type { LessonChanges } from '../api-types.ts'
import { get, refusalOf, send } from './api.ts'
import { confirmed } from './dialog.ts'
import type { LessonDraft } from './editor-draft.ts'
import { clearFaults, showFaults } from './form.ts'
import { lazily } from './lazily.ts'
import { toast } from './toast.ts'
import { EDITOR_ACT_TEXTS } from './editor-act-texts.ts'

const t = texts(EDITOR_ACT_TEXTS)

type Options = {
  draft: LessonDraft
  element: HTMLElement
  /** The episode in the API. */
  path: string
  labelOf: (name: string) => string
  /** Sends what was typed; false if that is not possible now. */
  settled: () => Promise<boolean>
  /** Shows what is published now. */
  refresh: () => Promise<void>
  /** Opens the homework with this id. */
  openNamed: (id: string) => Promise<void>
}

/** What the bar of a lesson does. */
export function actsOf({ draft, element, path, labelOf, settled, refresh, openNamed }: Options) {
  async function compare() {
    await settled()
    const { compareAll } = await lazily(import('./editor-conflict.ts'))
    await compareAll(draft, labelOf)
  }

  async function publish() {
    clearFaults(element)
    if (!(await settled())) return
    if (draft.disputed.size > 0) return compare()
    const headers = { 'If-Match': `"${draft.version()}"` }
    try {
      const answer = await send<{ is_published: boolean }>('POST', `${path}/publish`, undefined, { headers })
      await refresh()
      toast(t(answer.is_published ? 'is_published' : 'nothing'))
    } catch (error) {
      const { status, message } = refusalOf(error)
      if (status === 422) return showWrong(message)
      if (status !== 400) throw error
      // Somebody was faster: their changes appear here first.
      draft.take(await get<LessonChanges>(`${path}/changes`))
      if (draft.disputed.size === 0) throw error
      await compare()
    }
  }

  /** Opens what holds a wrong field, and names each fault there. */
  async function showWrong(detail: string) {
    const ids = new Set(Array.from(detail.matchAll(/homework\.([0-9a-f-]{36})\./g), ([, id = '']) => id))
    for (const id of ids) await openNamed(id)
    showFaults(element, detail)
    for (const fault of element.querySelectorAll('.fault'))
      for (let one = fault.closest('details'); one; one = one.parentElement?.closest('details') ?? null)
        one.open = true
  }

  async function discard() {
    if (!(await confirmed(t('discard_ask'), t('discard_text'), t('discard')))) return
    await settled()
    clearFaults(element)
    await send('DELETE', `${path}/changes`, undefined, { headers: { 'If-Match': `"${draft.version()}"` } })
    await refresh()
    toast(t('discarded'))
  }
  return { publish, discard, compare }
}
