import { html, nothing, type TemplateResult } from 'lit-html'
import { get, getFile, refusalOf, send, upload } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { ago, number } from '#foundation/web/client/format.ts'
import { createJob } from '#foundation/web/client/job.ts'
import { openPage, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { badge } from '#foundation/web/client/parts.ts'
import { saveFile } from '#foundation/web/client/save-file.ts'
import { createTable } from '#foundation/web/client/table.ts'
import { toast } from '#foundation/web/client/toast.ts'
import { search, setQuery } from './address.ts'
import type { Collection, Job, JobState, RowError } from './api-types.ts'
import { collectionPath, errorsOf, jobPath, jobsOf } from './first-calls.ts'
import { createMend } from './mend.ts'
import { createPicker } from './picker.ts'
import { createRecognised } from './recognised.ts'
import { UPLOAD_TEXTS } from './upload-texts.ts'

/* Uploads: a workbook is checked, its errors are shown cell by cell, and then it is written. */

const t = texts(UPLOAD_TEXTS)
const TONES: Record<JobState, 'none' | 'good' | 'warn' | 'bad'> = {
  queued: 'none',
  validating: 'none',
  processing: 'none',
  completed: 'good',
  completed_with_errors: 'warn',
  failed: 'bad',
  cancelled: 'warn',
}
const TYPES = '.xlsx,.xlsm,.ods,.csv'

let file: File | undefined
let into: Collection | undefined
let [fault, isBusy, isOver] = ['', false, false]
/** Until the upload of the address is here, its place is kept, so that nothing moves. */
let isOpening = search().has('open')
/** The file and settings that were checked. */
let checked = ''

type JobInSight = ReturnType<typeof createJob<Job>>

const update = openPage(view)
const job: JobInSight = createJob<Job>({
  label: t('progress'),
  read: (job_id) => get(jobPath(job_id)),
  progressOf: ({ progress, started_at, finished_at }) => ({
    done:
      progress.rows_total === null ? 0 : Math.round(((progress.percent ?? 0) * progress.rows_total) / 100),
    total: progress.rows_total ?? 0,
    started_at,
    finished_at,
  }),
  told: ({ done, total }) => {
    const read = job.current()?.progress.rows_read ?? 0
    return total === 0 ? t('reading', { done: read }) : t('done', { done, total })
  },
  cancel: {
    title: t('cancel_title'),
    text: t('cancel_text'),
    submit: t('cancel'),
    act: (job_id) => send('POST', `${jobPath(job_id)}/cancel`),
  },
  async changed({ finished_at, error_count, warning_count }, before) {
    if (finished_at === null) return
    if (error_count + warning_count > 0) await errors.load()
    if (before) await history.refresh()
  },
  lost: tell,
  update: () => update(),
})
const history = createTable<Job>({
  label: t('history'),
  path: jobsOf,
  empty: t('none'),
  keyOf: ({ job_id }) => job_id,
  open: ({ job_id }) => void job.open(job_id),
  update: () => update(),
  columns: [
    { title: t('name'), cell: ({ file: sent }) => html`<span class="cut">${sent.name}</span>` },
    { title: t('time'), cell: ({ created_at }) => ago(created_at) },
    { title: t('state'), cell: stateOf },
    { title: t('rows'), cell: ({ progress }) => number(progress.rows_read), isNumber: true },
    { title: t('refused'), cell: ({ error_count }) => number(error_count), isNumber: true },
  ],
})
const errors = createTable<RowError>({
  label: t('errors'),
  path: (cursor) => errorsOf(job.id() ?? '', cursor),
  empty: t('no_errors'),
  keyOf: ({ sheet, row, column, code }) => [sheet, row, column, code].join(' '),
  update: () => update(),
  columns: [
    { title: t('row'), cell: ({ sheet, row }) => html`${sheet} ${row === null ? '' : row}` },
    {
      title: t('column'),
      cell: ({ column, header }) =>
        html`${header ?? ''} ${column ? html`<small class="quiet-text">${column}</small>` : nothing}`,
    },
    { title: t('value'), cell: ({ value }) => html`<span class="cut short">${value ?? ''}</span>` },
    {
      title: t('message'),
      cell: ({ level, message }) => html`${badge(t(level), level === 'error' ? 'bad' : 'warn')} ${message}`,
    },
  ],
})

/** Mended rows go the way of the file that they come from. */
const mend = createMend({
  send: (mended) => sendFile(settingsOf(job.current()), job.current()?.dry_run ?? true, mended),
  update: () => update(),
})
const settingsOf = (from: Job | undefined): Record<string, string> => ({
  ...(from?.options['columns'] ? { columns: JSON.stringify(from.options['columns']) } : {}),
  ...Object.fromEntries(
    ['mode', 'on_blank', 'links', 'create_missing', 'allow_delete', 'match', 'strict', 'parent_id'].flatMap(
      (name) => {
        const value = from?.options[name]
        return typeof value === 'string' || typeof value === 'boolean' ? [[name, String(value)]] : []
      },
    ),
  ),
})

function stateOf({ state, dry_run }: Pick<Job, 'state' | 'dry_run'>): TemplateResult {
  return html`${badge(t(state), TONES[state])} ${dry_run ? badge(t('test'), 'none') : nothing}`
}
function tell(error: unknown): void {
  toast(refusalOf(error).message)
}

async function load(): Promise<void> {
  const [open, target] = [search().get('open'), search().get('collection')]
  try {
    await Promise.all([
      history.load(),
      open ? job.open(open) : undefined,
      target ? get<Collection>(collectionPath(target)).then((found) => (into = found)) : undefined,
    ])
  } catch (error) {
    tell(error)
  }
  isOpening = false
  update()
}

const recognised = createRecognised(
  () => (into ? { parent_id: into.id } : {}),
  () => update(),
)

function take(chosen: File | undefined): void {
  ;[file, fault, checked] = [chosen, '', '']
  recognised.take(chosen)
  update()
}

const settingsIn = (form: HTMLFormElement): Record<string, string> => {
  const data = new FormData(form)
  const words = ['mode', 'on_blank', 'links'].map((name) => [name, data.get(name) as string] as const)
  return {
    ...Object.fromEntries(words),
    create_missing: String(data.has('create_missing')),
    allow_delete: String(data.has('allow_delete')),
    ...recognised.chosen(),
    ...(into && { parent_id: into.id }),
  }
}

/** The same file with the same settings is the same upload: sent again after a lost answer, it is not done twice. */
async function sendFile(settings: Record<string, string>, dry_run: boolean, sent = file): Promise<void> {
  if (!sent) return
  ;[isBusy, fault] = [true, '']
  update()
  try {
    const form = new FormData()
    for (const [name, value] of Object.entries({ ...settings, dry_run: String(dry_run) }))
      form.set(name, value)
    form.set('file', sent, sent.name)
    const key = `page ${sent.name} ${sent.size} ${sent.lastModified} ${JSON.stringify(settings)} ${dry_run} ${attempt}`
    const { job_id } = await upload<{ job_id: string }>('/api/bulk/upload', form, await digestOf(key))
    if (dry_run) checked = JSON.stringify(settings)
    await Promise.all([job.open(job_id), history.load()])
    attempt += 1
  } catch (error) {
    fault = refusalOf(error).message
  } finally {
    isBusy = false
    update()
  }
}
/** Changes with every answer: what is sent after one is meant anew. */
let attempt = Date.now()

/** A short name for the attempt. Digests exist on https and loopback only. */
async function digestOf(text: string): Promise<string> {
  const { subtle } = crypto as Partial<Pick<Crypto, 'subtle'>>
  if (!subtle) return text.slice(-100)
  const bytes = new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes.slice(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function submit(event: SubmitEvent): void {
  event.preventDefault()
  const settings = settingsIn(event.target as HTMLFormElement)
  if ((event.submitter as HTMLButtonElement).value === 'check') return void sendFile(settings, true)
  const isChecked = checked === JSON.stringify(settings)
  openDialog({
    title: t('import_title', { name: file?.name ?? '' }),
    submit: t('import'),
    content: html`<p>${isChecked ? t('import_text') : t('import_unchecked')}</p>`,
    act: () => sendFile(settings, false),
  })
}

function chooseInto(): void {
  const picker = createPicker({ top: t('anywhere'), mayBe: ({ my_role }) => my_role !== 'viewer' })
  openDialog({
    title: t('into'),
    submit: t('choose_into'),
    content: html`${picker.element}`,
    act: async () => {
      const chosen = picker.chosen()
      if (chosen === undefined) return false
      into = chosen === null ? undefined : await get<Collection>(collectionPath(chosen.id))
      setQuery({ collection: into?.id })
      update()
      return true
    },
  })
}

async function keep(path: string, name: string): Promise<void> {
  try {
    saveFile(await getFile(path), name)
  } catch (error) {
    tell(error)
  }
}

function view(): TemplateResult {
  const shown = job.current()
  return html`${shown ? inSight(shown) : isOpening ? html`<section class="opening" aria-busy="true"></section>` : nothing}
    <section>
      <h2>${t('new')}</h2>
      <p class="quiet-text">${t('intro')}</p>
      ${form()}
    </section>
    <section>
      <h2>${t('history')}</h2>
      ${history.view(job.id())}
    </section>`
}

function form(): TemplateResult {
  const choice = (name: string, label: string, words: readonly (keyof typeof UPLOAD_TEXTS.en)[]) =>
    html`<label class="choice"
      ><span>${label}</span
      ><select name=${name}>
        ${words.map((word) => html`<option value=${word}>${t(word)}</option>`)}
      </select></label
    >`
  const over = (isIn: boolean) => (event: DragEvent) => {
    event.preventDefault()
    if (isOver === isIn) return
    isOver = isIn
    update()
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    isOver = false
    take(event.dataTransfer?.files[0])
  }
  return html`<form @submit=${submit}>
    <div
      class="dropzone ${isOver ? 'over' : ''}"
      @dragover=${over(true)}
      @dragleave=${over(false)}
      @drop=${drop}
    >
      <label
        >${t('drop')}
        <input
          type="file"
          accept=${TYPES}
          @change=${(event: Event) => take((event.target as HTMLInputElement).files?.[0])}
      /></label>
      <strong role="status" dir="auto">${file?.name ?? ''}</strong>
    </div>
    ${/\.csv$/i.test(file?.name ?? '') ? html`<p class="notice">${t('csv_warning')}</p>` : nothing}
    <p>
      ${into ? html`${t('into')}: <strong dir="auto">${into.name}</strong>` : html`<span class="quiet-text">${t('into_top')}</span>`}
      <button type="button" class="quiet small" @click=${chooseInto}>${t('choose_into')}</button>
      <button
        type="button"
        class="quiet small"
        @click=${() => keep(`/api/bulk/template${into ? `?parent_id=${into.id}` : ''}`, 'collections-template.xlsx')}
      >
        ${t('template')}
      </button>
    </p>
    <div class="bar filters">
      ${choice('mode', t('mode'), ['partial', 'atomic'])}
      ${choice('on_blank', t('on_blank'), ['keep', 'clear'])}
      ${choice('links', t('links'), ['add', 'replace'])}
    </div>
    <label class="check"><input type="checkbox" name="create_missing" /> ${t('create_missing')}</label>
    <label class="check"><input type="checkbox" name="allow_delete" /> ${t('allow_delete')}</label>
    ${recognised.view()} ${fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing}
    <div class="actions">
      <button class="second" value="check" ?disabled=${isBusy || !file}>${t('check')}</button>
      <button value="import" ?disabled=${isBusy || !file}>${t('import')}</button>
    </div>
  </form>`
}

function inSight(shown: Job): TemplateResult {
  const { error, error_count, warning_count, finished_at, options, dry_run, collections = [] } = shown
  return html`<section aria-labelledby="progress">
    <div class="bar middle">
      <h2 id="progress" dir="auto">${shown.file.name}</h2>
      <span role="status">${stateOf(shown)}</span>
      <button type="button" class="quiet small" @click=${job.close}>${t('close')}</button>
    </div>
    ${job.view()} ${counts(shown)}
    ${error ? html`<p class="fault" role="alert">${error.detail}</p>` : nothing}
    ${finished_at !== null && error_count + warning_count > 0 ? faults(shown) : nothing}
    ${finished_at !== null && !dry_run && options.parent_id ? html`<p><a class="button" href="/?collection=${options.parent_id}">${t('open')}</a></p>` : nothing}
    ${finished_at !== null && collections.length > 0 ? places(collections) : nothing}
  </section>`
}

/** Where to go on: the first collections that the file made or filled. */
const places = (collections: NonNullable<Job['collections']>): TemplateResult =>
  html`<nav aria-labelledby="made">
    <h3 id="made">${t('made')}</h3>
    <ul class="plain">
      ${collections.map(({ id, name }) => html`<li><a href="/?collection=${id}" dir="auto">${name}</a></li>`)}
    </ul>
  </nav>`

function counts({ counts: { collections, items, links, deleted } }: Job): TemplateResult {
  const row = (title: string, cells: readonly (readonly [string, number])[]) =>
    html`<tr>
      <th scope="row">${title}</th>
      ${cells.map(([text, value]) => html`<td><strong>${number(value)}</strong> ${text}</td>`)}
    </tr>`
  const of = ({ created, updated, unchanged, failed }: Job['counts']['items'], gone: number) =>
    [
      [t('created'), created],
      [t('updated'), updated],
      [t('unchanged'), unchanged],
      [t('refused'), failed],
      [t('deleted_rows'), gone],
    ] as const
  return html`<div class="scroll counts" tabindex="0" role="region" aria-label=${t('rows')}>
    <table>
      <tbody>
        ${row(t('collections'), of(collections, deleted.collections))}
        ${row(t('items'), of(items, deleted.items))}
        ${row(t('link_rows'), [
          [t('added'), links.added],
          [t('removed'), links.removed],
          [t('existing'), links.existing],
        ])}
      </tbody>
    </table>
  </div>`
}

function faults({ job_id, file: sent, error_count }: Job): TemplateResult {
  return html`<div class="bar middle">
      <h3>${t('errors')}</h3>
      ${error_count > 0 ? html`<button type="button" class="second small" @click=${() => keep(`${errorsOf(job_id)}&format=xlsx`, `${sent.name}-errors.xlsx`)}>${t('workbook')}</button>` : nothing}
    </div>
    ${error_count > 0 ? html`<p class="quiet-text">${t('workbook_text')}</p>` : nothing}
    ${error_count > 0 ? mend.view(job_id) : nothing} ${errors.view()}`
}

openPaletteByKey()
void load()
