import { texts } from '#foundation/web/client/language.ts'
import { refusalOf, serverNow } from './api.ts'
import { DRAFT_TEXTS } from './draft-texts.ts'
import { keep, kept } from './kept.ts'
import { sentence } from './states.ts'

const t = texts(DRAFT_TEXTS)

/** The service is told at most this often (ms). */
const EVERY_MS = 3_000
/** After a failure it is asked again this late (ms). */
const AGAIN_MS = 15_000

/** One part of a draft, such as an answer. `at` is when it was changed, in ms by the service's clock. */
export type Part<V> = { value: V; at: number }
type Parts<V> = Record<string, Part<V>>
/** What is on this device: all parts, and up to which change the service has each. */
type Stored<V> = { parts: Parts<V>; told: Record<string, number>; key?: string }

type Options<V> = {
  /** The name on this device, with person and thing. */
  place: string
  /** An idempotency key of the work, which stays until it is handed in. */
  key: string
  read: () => Promise<Parts<V>>
  /** Sends changed parts and returns all that the service has. */
  write: (changed: Parts<V>) => Promise<Parts<V>>
  /** A part that was changed in another tab or on another device. */
  changed: (name: string, value: V) => void
  said: (text: string) => void
}

/**
 * A draft that lives on the service and on this device. Each part is merged by the time of its change, so two tabs and
 * two devices lose nothing; what could not be sent stays here and is sent later.
 */
export function openDraft<V>({ place, key, read, write, changed, said }: Options<V>) {
  const stored = kept<Stored<V>>(place)
  const own: Required<Stored<V>> = { parts: {}, told: {}, key, ...(stored?.parts && stored) }
  let timer: ReturnType<typeof setTimeout> | undefined
  let sentAt = 0
  let isOver = false
  let running: Promise<void> | undefined

  const unsent = () =>
    Object.fromEntries(Object.entries(own.parts).filter(([name, { at }]) => at > (own.told[name] ?? -1)))

  /** Takes over later changes from elsewhere. */
  function merge(parts: Parts<V>) {
    for (const [name, part] of Object.entries(parts)) {
      const mine = own.parts[name]
      if (mine && mine.at >= part.at) continue
      own.parts[name] = part
      if (!mine || JSON.stringify(mine.value) !== JSON.stringify(part.value)) changed(name, part.value)
    }
  }
  /** Other tabs write to the same place, so it is read before. */
  function store() {
    const there = kept<Stored<V>>(place)
    if (there?.parts) merge(there.parts)
    keep(place, own)
  }
  function received(sent: Parts<V>, all: Parts<V>) {
    for (const [name, part] of Object.entries(sent)) {
      const now = own.parts[name]
      // The service may have shortened a time that lay ahead of its clock.
      if (now?.at === part.at && all[name]) now.at = Math.min(part.at, all[name].at)
    }
    merge(all)
    for (const [name, { at }] of Object.entries(all)) own.told[name] = at
    store()
  }

  async function exchange() {
    const sent = structuredClone(unsent())
    sentAt = performance.now()
    try {
      received(sent, Object.keys(sent).length > 0 ? await write(sent) : await read())
      if (Object.keys(sent).length > 0) said(t('saved'))
    } catch (error) {
      const { status, message } = refusalOf(error)
      if (status === 400 || status === 404 || status === 422) {
        isOver = true
        said(t('refused', { why: sentence(message) }))
      } else {
        said(t('waits'))
        later(AGAIN_MS)
      }
    } finally {
      running = undefined
    }
    if (Object.keys(unsent()).length > 0) later(EVERY_MS)
  }
  /** Sends what is new and reads what others wrote. Never fails: what cannot be sent stays. */
  function settle(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (isOver) return Promise.resolve()
    return (running ??= exchange())
  }
  function later(wait: number) {
    if (isOver) return
    timer ??= setTimeout(() => void settle(), Math.max(0, wait - (performance.now() - sentAt)))
  }

  const stopped = new AbortController()
  const { signal } = stopped
  addEventListener('storage', ({ key: name }) => name === `lyceum.${place}` && store(), { signal })
  addEventListener('online', () => void settle(), { signal })
  document.addEventListener('visibilitychange', () => void settle(), { signal })

  return {
    key: own.key,
    parts: own.parts,
    put(name: string, value: V) {
      own.parts[name] = { value, at: Math.max(serverNow(), (own.parts[name]?.at ?? 0) + 1) }
      said(t('on_device'))
      store()
      later(EVERY_MS)
    },
    settle,
    /** Listens no more; what is on this device stays. */
    stop: () => {
      clearTimeout(timer)
      stopped.abort()
    },
    /** The work is handed in: nothing of the draft is left. */
    end() {
      isOver = true
      clearTimeout(timer)
      stopped.abort()
      keep(place, undefined)
    },
  }
}
