import type { LessonChanges } from '../api-types.ts'
import { get, refusalOf, send } from './api.ts'
import { adopt, keepTyped } from './editor-device.ts'

/** What is typed is sent this long after the last key (ms), and no later than that after the first. */
const [PAUSE_MS, LATEST_MS] = [1_500, 6_000]
/** After a failure it is sent again this late; what others typed is looked for this often. */
const [AGAIN_MS, LOOK_MS] = [10_000, 20_000]

export type Change = LessonChanges['changes'][number]
export type State = 'clean' | 'typed' | 'saving' | 'saved' | 'waits' | 'signed_out' | 'refused'

/** A field that was typed and not sent yet. `over` is the version that it was typed over. */
export type Typed = { value: unknown; over: number; base?: unknown; at: number }
export type TypedFields = Record<string, Typed>
type Known = { value: unknown; version: number; is_open: boolean; change?: Change }

type Options = {
  episode_id: string
  user_id: string
  /** What learners see, by field. */
  published: Record<string, unknown>
  first: LessonChanges
  /** The state, or what is unpublished, has changed. */
  shown: () => void
  /** Fields that somebody else changed, and that nobody types into here. */
  changed: (names: string[]) => void
}

export type LessonDraft = ReturnType<typeof openLesson>

/**
 * The unpublished changes of a lesson on the service, and what was typed here since. One write is under way at most; what
 * could not be sent stays on this device. A field that was typed here and elsewhere waits until its author has compared both.
 */
export function openLesson({
  episode_id,
  user_id,
  published: first_published,
  first,
  shown,
  changed,
}: Options) {
  const path = `/api/episodes/${episode_id}/changes`
  const place = `lesson.${user_id}.${episode_id}`
  let published = first_published
  let latest = first
  /** Of fields without changes: what was published is known since then. */
  let baseline = first.version
  let known = new Map<string, Known>()
  let typed: TypedFields = {}
  /** Fields that somebody else changed while they were typed here, with theirs. */
  const disputed = new Map<string, Change>()
  /** Fields whose homework or test somebody else deleted: their form still shows what was typed, nobody keeps it. */
  const gone = new Set<string>()
  let [state, told]: [State, string] = ['clean', '']
  let timer: ReturnType<typeof setTimeout> | undefined
  let begun = 0
  let running: Promise<void> | undefined

  const valueOf = (name: string): unknown => {
    const mine = typed[name]
    if (mine) return mine.value
    const one = known.get(name)
    return one ? one.value : published[name]
  }
  const unsent = () => Object.entries(typed).filter(([name]) => !disputed.has(name))
  const set = (next: State, why = '') => {
    ;[state, told] = [next, why]
    shown()
  }
  const store = () => keepTyped(place, typed)

  /** Takes over what the service says; returns the fields that look different now. */
  function take(answer: LessonChanges): string[] {
    latest = answer
    const moved: string[] = []
    for (const change of answer.changes) {
      const { name, value, version, is_open } = change
      const before = valueOf(name)
      if (!is_open) published[name] = value
      else if (change.is_conflict) published[name] = change.published
      known.set(name, { value, version, is_open, change })
      const mine = typed[name]
      if (mine && version > mine.over) {
        if (isSame(mine.value, value)) delete typed[name]
        else disputed.set(name, change)
      } else if (change.is_conflict && !mine) disputed.set(name, change)
      else if (!mine && !isSame(before, value)) moved.push(name)
    }
    return moved
  }

  async function exchange() {
    begun = 0
    const sent = structuredClone(unsent())
    if (sent.length > 0) set('saving')
    try {
      const changes = sent.map(([name, one]) => ({ ...one, name, at: undefined }))
      const since = latest.version
      const answer =
        sent.length > 0
          ? await send<LessonChanges>('PUT', path, { since, changes })
          : await get<LessonChanges>(`${path}?since=${since}`)
      for (const [name, { value }] of sent) {
        if (answer.refused.includes(name)) continue
        if (answer.gone.includes(name)) {
          gone.add(name)
          delete typed[name]
          continue
        }
        known.set(name, { value, version: answer.version, is_open: true })
        const now = typed[name]
        if (now && isSame(now.value, value)) delete typed[name]
        else if (now) typed[name] = { value: now.value, at: now.at, over: answer.version }
      }
      const moved = take(answer)
      store()
      if (moved.length > 0) changed(moved)
      set(unsent().length > 0 ? 'typed' : sent.length > 0 || state !== 'clean' ? 'saved' : 'clean')
    } catch (error) {
      const { status, message } = refusalOf(error)
      if (status === -1) reportError(error)
      const isFinal = [400, 403, 404, 413, 422].includes(status)
      if (sent.length > 0)
        set(isFinal ? 'refused' : status === 401 ? 'signed_out' : 'waits', isFinal ? message : '')
      if (!isFinal) later(AGAIN_MS)
    } finally {
      running = undefined
    }
    if (state === 'typed') later(PAUSE_MS)
  }

  function later(wait: number) {
    clearTimeout(timer)
    begun ||= performance.now()
    timer = setTimeout(
      () => void settle(),
      Math.max(0, Math.min(wait, begun + LATEST_MS - performance.now())),
    )
  }

  /** Sends what was typed and reads what others typed. Never fails. */
  function settle(): Promise<void> {
    clearTimeout(timer)
    return (running ??= exchange())
  }

  function put(name: string, value: unknown) {
    const mine = typed[name]
    const one = known.get(name)
    typed[name] = {
      value,
      at: Date.now(),
      over: mine?.over ?? one?.version ?? baseline,
      // The service knows what was published when the change was begun, once it has it.
      ...(mine ? 'base' in mine && { base: mine.base } : !one?.is_open && { base: published[name] }),
    }
    store()
    if (running === undefined) later(PAUSE_MS)
    set(state === 'waits' ? 'waits' : 'typed')
  }

  /** Decides for one of two texts. `mine` is sent over theirs; without it theirs stays. */
  function decide(name: string, mine: boolean) {
    const theirs = disputed.get(name)
    disputed.delete(name)
    const value = valueOf(name)
    if (!theirs) return
    if (mine) typed[name] = { value, at: Date.now(), over: theirs.version, base: published[name] }
    else if (theirs.is_conflict && !typed[name])
      typed[name] = { value: published[name], at: Date.now(), over: theirs.version, base: published[name] }
    else delete typed[name]
    store()
    if (!mine) changed([name])
    set('typed')
    void settle()
  }
  const openNames = () => [...known].flatMap(([name, { is_open }]) => (is_open ? [name] : []))

  take(first)
  typed = adopt(place)
  if (Object.keys(typed).length > 0) {
    take(first)
    state = 'typed'
    later(0)
  }

  addEventListener('online', () => void settle())
  document.addEventListener('visibilitychange', () => void settle())
  addEventListener('pagehide', store)
  setInterval(() => {
    if (document.visibilityState === 'visible' && unsent().length === 0) void settle()
  }, LOOK_MS)

  return {
    valueOf,
    take: (answer: LessonChanges) => {
      const moved = take(answer)
      if (moved.length > 0) changed(moved)
      shown()
    },
    publishedOf: (name: string) => published[name],
    put,
    settle,
    decide,
    disputed,
    gone,
    typedOf: (name: string) => typed[name],
    state: () => ({ state, told }),
    version: () => latest.version,
    status: () => latest.status,
    isUnsent: () => unsent().length > 0,
    /** The fields that a publication would change, with who changed them if that was somebody else. */
    open: (): { name: string; by?: Change['changed_by'] }[] =>
      [...new Set([...openNames(), ...Object.keys(typed)])]
        // Of homework and tests that are not here yet it is not known what was published.
        .filter((name) => !(name in published) || !isSame(valueOf(name), published[name]))
        .map((name) => {
          const by = name in typed ? undefined : known.get(name)?.change?.changed_by
          return { name, ...(by && !by.is_you && { by }) }
        }),
    /** Everything was published or discarded: the service's word is the only one. */
    reset(answer: LessonChanges, now: Record<string, unknown>) {
      published = now
      baseline = answer.version
      known = new Map()
      typed = {}
      disputed.clear()
      gone.clear()
      store()
      take(answer)
      set('clean')
    },
    /** Work that was made or deleted on this page. */
    add: (fields: Record<string, unknown>) => void Object.assign(published, fields),
    drop(prefix: string) {
      for (const name of Object.keys(published).filter((one) => one.startsWith(prefix))) {
        delete published[name]
        delete typed[name]
        known.delete(name)
        disputed.delete(name)
        gone.delete(name)
      }
      store()
      shown()
    },
  }
}

/** Equal values, whatever the order of their members. */
export const isSame = (one: unknown, other: unknown): boolean => written(one) === written(other)

const written = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? ''
