import { html, nothing, type TemplateResult } from 'lit-html'
import { refusalOf } from './api.ts'
import { openDialog } from './dialog.ts'
import { number } from './format.ts'
import { language, setQuery, texts } from './page.ts'

const t = texts({
  en: { rate: '{rate} per second', left: '{left} left', canceling: 'It is being canceled.' },
  de: { rate: '{rate} pro Sekunde', left: 'noch {left}', canceling: 'Wird abgebrochen.' },
  es: { rate: '{rate} por segundo', left: 'faltan {left}', canceling: 'Se está cancelando.' },
})

export type Progress = {
  done: number
  /** Zero while nobody knows. */
  total: number
  started_at: string | null
  finished_at: string | null
  is_canceling?: boolean
}
type Job<T> = {
  /** Says what is under way, for screen readers. */
  label: string
  read: (id: string) => Promise<T>
  progressOf: (job: T) => Progress
  /** `3 of 7 rows` */
  told: (progress: Progress) => string
  cancel?: { title: string; text: string; submit: string; act: (id: string) => Promise<unknown> }
  /** Runs when the service said something new, before it is shown. `before`: what was shown of the same job. */
  changed?: (job: T, before: T | undefined) => unknown
  /** The job cannot be read: there is none, or not for this person. */
  lost: (error: unknown) => void
  update: () => void
}

/** The name in the query of the address, by which a job is in sight again after a reload. */
const IN_ADDRESS = 'open'
const [SOON_MS, LATE_MS, SLOWER] = [400, 10_000, 1.5]

/**
 * One job of the service in sight, until it has ended. It is asked often while it moves, ever less while it stands still
 * or cannot be reached, and not while nobody looks.
 */
export function createJob<T>(job: Job<T>) {
  const { label, read, progressOf, told, cancel, changed, lost, update } = job
  let id: string | undefined
  let current: T | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait_ms = SOON_MS

  async function open(to: string): Promise<void> {
    if (id !== to) current = undefined
    id = to
    wait_ms = SOON_MS
    setQuery({ [IN_ADDRESS]: to })
    await ask()
  }

  function close(): void {
    clearTimeout(timer)
    ;[id, current] = [undefined, undefined]
    setQuery({ [IN_ADDRESS]: undefined })
    update()
  }

  /** An answer about a job that is no longer in sight is dropped. */
  async function ask(): Promise<void> {
    clearTimeout(timer)
    const asked = id
    if (asked === undefined) return
    try {
      const found = await read(asked)
      if (id !== asked) return
      await take(found)
    } catch (error) {
      if (id !== asked) return
      const { status } = refusalOf(error)
      if (!current || status === 403 || status === 404) {
        close()
        return lost(error)
      }
      wait_ms = Math.min(wait_ms * SLOWER, LATE_MS)
    }
    if (current && progressOf(current).finished_at === null) timer = setTimeout(() => void again(), wait_ms)
  }

  async function take(found: T): Promise<void> {
    const isNew = JSON.stringify(found) !== JSON.stringify(current)
    wait_ms = isNew ? SOON_MS : Math.min(wait_ms * SLOWER, LATE_MS)
    const before = current
    current = found
    if (isNew) await changed?.(found, before)
    update()
  }

  const again = () => {
    if (document.visibilityState === 'visible') return ask()
    document.addEventListener('visibilitychange', () => void ask(), { once: true })
    return undefined
  }

  const confirm = ({ title, text, submit, act }: NonNullable<typeof cancel>) => {
    const about = id
    openDialog({
      title,
      content: html`<p>${text}</p>`,
      submit,
      isDangerous: true,
      async act() {
        if (about === undefined) return
        await act(about)
        if (id === about) await open(about)
      },
    })
  }

  const end = (progress: Progress) => {
    if (!cancel || progress.finished_at !== null) return nothing
    if (progress.is_canceling) return html`<p class="quiet-text">${t('canceling')}</p>`
    return html`<button type="button" class="second small" @click=${() => confirm(cancel)}>
      ${cancel.submit}
    </button>`
  }

  /** The bar, its pace and the way to stop; nothing without a job. */
  const view = (): TemplateResult | typeof nothing => {
    if (!current) return nothing
    const progress = progressOf(current)
    const { done, total, finished_at } = progress
    const isUnknown = total === 0 && finished_at === null
    return html`<progress
        aria-label=${label}
        max=${Math.max(total, 1)}
        value=${isUnknown ? nothing : total === 0 ? 1 : done}
      ></progress>
      <p>${[told(progress), ...paceOf(progress)].join(' · ')}</p>
      ${end(progress)}`
  }

  return { open, close, view, current: () => current, id: () => id }
}

/** How many a second since the start, and how long the rest takes at that rate. */
function paceOf({ done, total, started_at, finished_at }: Progress): string[] {
  if (started_at === null || done === 0) return []
  const until = finished_at === null ? Date.now() : Date.parse(finished_at)
  const rate = done / Math.max((until - Date.parse(started_at)) / 1_000, 0.1)
  const pace = t('rate', { rate: number(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate)) })
  if (finished_at !== null || total <= done) return [pace]
  return [pace, t('left', { left: timeOf((total - done) / rate) })]
}

/** In the largest unit that leaves a number of more than one digit, or the next smaller. */
function timeOf(seconds: number): string {
  const [unit, size] = seconds < 100 ? ['second', 1] : seconds < 6_000 ? ['minute', 60] : ['hour', 3_600]
  return new Intl.NumberFormat(language, { style: 'unit', unit: String(unit) }).format(
    Math.ceil(seconds / Number(size)),
  )
}
