import { texts } from '#foundation/web/client/language.ts'
import { refusalOf } from './api.ts'
import { editorBar, labelsOf } from './editor-bar.ts'
import { openLesson } from './editor-draft.ts'
import { partOf } from './editor-part.ts'
import { EPISODE, publishedOf, VIDEO } from './editor-published.ts'
import { EDITOR_TEXTS } from './editor-texts.ts'
import { episodeFields } from './episode-fields.ts'
import type { Lesson } from './episode-edit.ts'
import { setTitle } from './heading.ts'
import { type Child, fillWith, html } from './html.ts'
import { laterButton } from './later-button.ts'
import { lazily } from './lazily.ts'
import { refusalPanel, skeleton } from './states.ts'
import { whenSeen } from './when-seen.ts'
import { type ShownVideo, videoForm } from './video-form.ts'
import { EDITING_TEXTS } from './editing-texts.ts'
import type { Works } from './editor-works.ts'

const t = texts(EDITING_TEXTS)
const e = texts(EDITOR_TEXTS)

type Options = {
  user_id: string
  /** Reads the lesson again, after it was published. */
  read: () => Promise<Lesson>
  tools: HTMLElement
  charts: Child
}

/** The one page of a lesson: all its parts in order, kept while they are typed, with one bar to publish them. */
export function editorOf(first: Lesson, { user_id, read, tools, charts }: Options) {
  let lesson = first
  const { channel, episode } = lesson
  const place = { channel_id: channel.id, episode_id: episode.id }
  const path = `/api/episodes/${episode.id}`
  const draft = openLesson({
    episode_id: episode.id,
    user_id,
    published: publishedOf(lesson),
    first: lesson.changes,
    shown: () => show(),
    changed: (names) => {
      for (const part of parts()) if (names.some((name) => part.has(name))) part.renew(names)
    },
  })
  const labelOf = labelsOf((id) => draft.valueOf(`homework.${id}.title`) as string)
  const valuesOf = (prefix: string, fields: readonly string[]) =>
    Object.fromEntries(fields.map((field) => [field, draft.valueOf(prefix + field)]))

  const about = partOf(draft, '', () =>
    episodeFields(valuesOf('', EPISODE) as Parameters<typeof episodeFields>[0], channel.id),
  )
  const video = partOf(draft, 'video.', () =>
    videoForm(valuesOf('video.', VIDEO) as ShownVideo, channel.id, lesson.video),
  )
  const work = html`<div class="stack">
    ${placeholder('homework', 'new_homework', async () => (await works()).homework.create())}
    ${placeholder('tests', 'new_test', async () => (await works()).tests.create())}
  </div>`
  let made: Works | undefined
  let making: Promise<Works> | undefined
  const works = () =>
    (making ??= makeWorks().catch((error: unknown) => {
      making = undefined
      fillWith(
        work,
        refusalPanel(refusalOf(error), () => void works()),
      )
      throw error
    }))
  /** Homework and tests stand below the fold; their modules and data come when somebody looks at them or adds one. */
  async function makeWorks(): Promise<Works> {
    made = await (await lazily(import('./editor-works.ts'))).openWorks(place, draft)
    fillWith(work, made.homework.element, made.tests.element)
    return made
  }
  whenSeen(work, () => void works().catch(() => {}))
  const parts = () => [about, video, ...(made?.homework.parts() ?? [])]
  const bar = editorBar({
    draft,
    labelOf,
    href: `/episode?id=${episode.id}&channel=${channel.id}`,
    publish: async () => (await acts()).publish(),
    discard: async () => (await acts()).discard(),
    compare: async () => (await acts()).compare(),
  })
  const element = html`<div class="stack editor-page">
    ${charts}
    <section id="about">
      <div class="section-head">
        <h2>${t('about_episode')}</h2>
        ${tools}
      </div>
      ${about.element}
    </section>
    <section id="video">
      <h2>${t('video')}</h2>
      ${video.element}
    </section>
    ${work}${bar.element}
  </div>`
  // Leaving the page keeps what was typed in the last moment.
  addEventListener('pagehide', checkAll)
  element.addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== 's') return
    event.preventDefault()
    checkAll()
    void draft.settle()
  })
  show()

  function show() {
    bar.show()
    made?.show()
  }
  function checkAll() {
    for (const part of parts()) part.check()
  }
  /** Everything that was typed is on the service, or the reason is told. */
  async function settled() {
    checkAll()
    while (draft.isUnsent()) {
      await draft.settle()
      const { state } = draft.state()
      if (state === 'waits' || state === 'signed_out' || state === 'refused') return false
    }
    return true
  }

  const acts = async () =>
    (await lazily(import('./editor-acts.ts'))).actsOf({
      draft,
      element,
      path,
      labelOf,
      settled,
      refresh,
      openNamed: async (id) => (await works()).homework.openNamed(id),
    })

  /** What is published now, in every form. */
  async function refresh() {
    lesson = await read()
    draft.reset(lesson.changes, publishedOf(lesson))
    await made?.read()
    setTitle(lesson.episode.title)
    for (const part of parts()) part.renew()
    show()
  }
  return { element, works }
}

/** The frame of a list that is not here yet. */
const placeholder = (
  id: 'homework' | 'tests',
  text: 'new_homework' | 'new_test',
  create: () => Promise<unknown>,
) =>
  html`<section id=${id}>
    <div class="section-head">
      <h2>${e(id)}</h2>
      ${laterButton({ sign: 'plus', text: e(text), look: 'second small', work: create })}
    </div>
    ${skeleton(1)}
  </section>`
