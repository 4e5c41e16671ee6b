import { texts } from '#foundation/web/client/language.ts'
import type { LessonDraft, State } from './editor-draft.ts'
import { act } from './form.ts'
import { fillWith, html } from './html.ts'
import { icon } from './icons.ts'
import { inLanguage } from './refusals.ts'
import { EDITING_TEXTS } from './editing-texts.ts'
import { EDITOR_TEXTS } from './editor-texts.ts'
import { VIDEO_TEXTS } from './video-texts.ts'

const t = texts(EDITOR_TEXTS)
const w = texts(EDITING_TEXTS)
const v = texts(VIDEO_TEXTS)

const LABELS: Record<string, string> = {
  title: w('title'),
  description: w('description'),
  release_at: w('release_at'),
  thumbnail_url: w('thumbnail_url'),
  season: w('season'),
  authors: w('authors'),
  language: w('language'),
  recorded_on: w('recorded_on'),
  'video.url': v('video_url'),
  'video.poster_url': v('poster'),
  'video.duration_seconds': v('length'),
  'video.sources': v('renditions'),
  'video.chapters': v('chapters'),
  'video.captions': v('captions'),
  'video.transcript': v('transcript'),
  'video.completion_threshold': v('threshold'),
  'video.strict_watch': v('strict'),
}

/** The fields that the list of changes names; the others are counted by what is there. */
const NAMED = 4

type Options = {
  draft: LessonDraft
  /** What a field is called. */
  labelOf: (name: string) => string
  /** Where a learner sees it. */
  href: string
  publish: () => Promise<void>
  discard: () => Promise<void>
  compare: () => Promise<void>
}

/** The bar below a lesson: what is kept, what is not published, and what to do about it. */
export function editorBar({ draft, labelOf, href, publish, discard, compare }: Options) {
  const told = html`<span role="status"></span>`
  const list = html`<span class="editor-changes" dir="auto"></span>`
  const dispute = html`<p class="editor-dispute" role="status"></p>`
  const button = (text: string, look: string, work: () => Promise<void>): HTMLElement => {
    const made: HTMLElement = html`<button type="button" class=${look} onclick=${() => void act(made, work)}>
      ${text}
    </button>`
    return made
  }
  const discarder = button(t('discard'), 'quiet', discard)
  const element = html`<div class="savebar editor-bar">
    ${dispute}
    <p class="savebar-state">${told}${list}</p>
    <div class="actions">
      ${discarder}
      <a class="button second" aria-label=${t('see')} href=${href}
        >${icon('eye')}<span class="editor-see">${t('see')}</span></a
      >
      ${button(t('publish'), 'editor-publish', publish)}
    </div>
  </div>`

  function show() {
    const open = draft.open()
    const { state, told: why } = draft.state()
    const lost = [...new Set([...draft.gone].map(labelOf))].join(', ')
    const words = lost
      ? t('gone', { fields: lost })
      : wordsOf(state, { why, is_draft: draft.status() === 'draft', is_changed: open.length > 0 })
    if (told.textContent !== words) told.textContent = words
    const isWaiting = state === 'waits' || state === 'signed_out' || state === 'refused'
    element.classList.toggle('is-waiting', isWaiting || lost !== '')
    discarder.hidden = open.length === 0
    list.textContent = open.length > 0 ? t('unpublished', { fields: changedFields(open, labelOf) }) : ''
    const [first] = draft.disputed
    dispute.hidden = !first
    if (!first) return fillWith(dispute)
    const [name, { changed_by, is_conflict }] = first
    const field = labelOf(name)
    const said =
      changed_by.is_you && !is_conflict
        ? t('newer_own', { field })
        : t('newer', { name: (!is_conflict && changed_by.display_name) || t('somebody'), field })
    if (dispute.dataset['said'] === said) return
    dispute.dataset['said'] = said
    fillWith(
      dispute,
      icon('warn'),
      html`<span dir="auto">${said}</span>`,
      button(t('compare'), 'second small', compare),
    )
  }
  return { element, show }
}

function wordsOf(
  state: State,
  { why, is_draft, is_changed }: { why: string; is_draft: boolean; is_changed: boolean },
) {
  if (state === 'refused') return t('refused', { why: inLanguage(why) })
  if (state === 'typed' || state === 'saving') return t('saving')
  if (state !== 'clean' && (state !== 'saved' || is_changed)) return t(state)
  if (is_draft) return t('is_draft')
  // The list beside it says what has changed.
  return is_changed ? '' : t('all_published')
}

function changedFields(open: ReturnType<LessonDraft['open']>, labelOf: (name: string) => string): string {
  const labels = open.map(({ name, by }) => {
    const field = labelOf(name)
    return by ? t('by', { fields: field, name: by.display_name ?? t('somebody') }) : field
  })
  const shown = [...new Set(labels)]
  return shown.slice(0, NAMED).join(', ') + (shown.length > NAMED ? ' …' : '')
}

/** What the fields of a lesson are called: homework by its title, which is what its author looks for. */
export const labelsOf =
  (titleOf: (homework_id: string) => string) =>
  (name: string): string => {
    const [part, id = ''] = name.split('.')
    if (part === 'homework') return titleOf(id) || t('homework')
    return part === 'test' ? t('tests') : (LABELS[name] ?? name)
  }
