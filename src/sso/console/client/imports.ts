import { html, nothing, type TemplateResult } from 'lit-html'
import { get, getFile, refusalOf, send, upload } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { ago, number } from '#foundation/web/client/format.ts'
import { createJob } from '#foundation/web/client/job.ts'
import { openPage, setQuery, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { badge, facts } from '#foundation/web/client/parts.ts'
import { createTable } from '#foundation/web/client/table.ts'
import { toast } from '#foundation/web/client/toast.ts'
import { csvLine } from '#foundation/web/client/csv.ts'
import { saveFile } from '#foundation/web/client/save-file.ts'
import type { Import, ImportInFull, OwnSite } from './api-types.ts'
import { importOf, importsOf, OWN_SITES } from './first-calls.ts'
import { type ChosenFile, chosenFile } from './import-file.ts'
import { askQuotasAgain, quotaLine } from './import-quota.ts'
import { IMPORT_TEXTS } from './import-texts.ts'
import { TEMPLATE } from './people-file.ts'

/* Console › Imports: a file of people with its first rows, the import in sight, and all imports of a site. */

const t = texts(IMPORT_TEXTS)
const STATES = ['queued', 'processing', 'completed', 'completed_with_errors', 'failed', 'canceled'] as const
const TONES = {
  queued: 'none',
  processing: 'none',
  completed: 'good',
  completed_with_errors: 'warn',
  failed: 'bad',
  canceled: 'warn',
} as const

let query = new URLSearchParams(location.search)
let sites: OwnSite[] | undefined
let chosen: ChosenFile | undefined
/** What was sent last, to send it again when that is wanted. */
let sent: { dry_run: boolean; conflict: string; job_id: string; isKnown: boolean } | undefined
/** Values of the refused rows, while the file is here. */
let values: { job_id: string; of: (row: number, field: string | null) => string } | undefined
let [isBusy, fault] = [false, '']

const update = openPage(view)
const job = createJob<ImportInFull>({
  label: t('progress'),
  read: (job_id) => get(importOf(job_id)),
  progressOf: ({ processed_rows, total_rows, started_at, finished_at, cancel_requested }) => ({
    done: processed_rows,
    total: total_rows,
    started_at,
    finished_at,
    is_canceling: cancel_requested,
  }),
  told: ({ done, total }) => t('done', { done, total }),
  cancel: {
    title: t('cancel_title'),
    text: t('cancel_text'),
    submit: t('cancel'),
    act: (job_id) => send('POST', `${importOf(job_id)}/cancel`),
  },
  async changed(found, before) {
    if (before && found.finished_at !== null) askQuotasAgain()
    await Promise.all([readValues(found), before ? table.refresh() : undefined])
  },
  lost: tell,
  update: () => update(),
})
const table = createTable<Import>({
  label: t('history'),
  path: (cursor) => importsOf(query, siteCode(), cursor),
  empty: t('none'),
  keyOf: ({ job_id }) => job_id,
  open: ({ job_id }) => void job.open(job_id),
  update: () => update(),
  columns: [
    { title: t('time'), cell: ({ created_at }) => ago(created_at) },
    { title: t('state'), cell: stateOf },
    { title: t('rows'), cell: ({ total_rows }) => number(total_rows), isNumber: true },
    { title: t('made'), cell: ({ success_count }) => number(success_count), isNumber: true },
    { title: t('skipped'), cell: ({ skipped_count }) => number(skipped_count), isNumber: true },
    { title: t('errors'), cell: ({ error_count }) => number(error_count), isNumber: true },
  ],
})

function stateOf({ status, dry_run }: Pick<Import, 'status' | 'dry_run'>): TemplateResult {
  return html`${badge(t(status), TONES[status])} ${dry_run ? badge(t('test'), 'none') : nothing}`
}

const siteCode = () => query.get('site_code') ?? sites?.[0]?.site_code ?? ''
const site = () => sites?.find(({ site_code }) => site_code === siteCode())
function tell(error: unknown): void {
  toast(refusalOf(error).message)
}

async function load(): Promise<void> {
  try {
    sites = (await get<{ items: OwnSite[] }>(OWN_SITES)).items
    update()
    const open = query.get('open')
    await Promise.all([siteCode() ? table.load() : undefined, open ? job.open(open) : undefined])
  } catch (error) {
    tell(error)
  }
}

/** The service keeps no value of a file: they come from the file, while it is chosen and belongs to this import. */
async function readValues({ job_id }: ImportInFull): Promise<void> {
  if (!chosen || sent?.job_id !== job_id || values?.job_id === job_id) return
  const { header, rows } = await chosen.rows()
  const of = (row: number, field: string | null) => rows[row - 1]?.[header.indexOf(field ?? '')] ?? ''
  values = { job_id, of }
}

async function choose(event: Event): Promise<void> {
  const [file] = (event.target as HTMLInputElement).files ?? []
  ;[chosen, values, sent, fault] = [undefined, undefined, undefined, '']
  if (file) chosen = await chosenFile(file, update)
  update()
}

/** Sends the file. The service knows it by its content: sent again after a lost answer, it is the same import. */
async function sendFile(dry_run: boolean, conflict: string, key = 'console'): Promise<void> {
  if (!chosen) return
  ;[isBusy, fault] = [true, '']
  update()
  try {
    const form = new FormData()
    const fields = {
      site_code: siteCode(),
      on_conflict: conflict,
      dry_run: String(dry_run),
      separator: chosen.separator(),
    }
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', chosen.content(), 'people.csv')
    const { job_id, status } = await upload<Pick<Import, 'job_id' | 'status'>>(
      '/api/v1/bulk/register',
      form,
      key,
    )
    const isKnown = status !== 'queued' && status !== 'processing'
    sent = { dry_run, conflict, job_id, isKnown }
    await Promise.all([job.open(job_id), table.load()])
    const shown = job.current()
    if (shown) await readValues(shown)
  } catch (error) {
    fault = refusalOf(error).message
    if (!dry_run) throw error
  } finally {
    isBusy = false
    update()
  }
}

function confirmImport(conflict: string): void {
  openDialog({
    title: t('import_title', { site: site()?.name ?? siteCode() }),
    content: html`<p>${t('import_text')}</p>`,
    submit: t('import'),
    ...(conflict === 'update' && { typed: siteCode(), isDangerous: true }),
    act: () => sendFile(false, conflict),
  })
}

function view(): TemplateResult {
  if (sites?.length === 0) return html`<p class="empty">${t('no_sites')}</p>`
  const shown = job.current()
  return html`<div class="bar filters">
      ${choice(
        'site_code',
        t('site'),
        (sites ?? []).map(({ site_code, name }) => [site_code, name] as const),
        siteCode(),
      )}
    </div>
    ${shown ? inSight(shown) : nothing}
    <section>
      <h2>${t('new')}</h2>
      <p class="quiet-text">${t('intro')}</p>
      ${site() ? quotaLine(site()?.tenant_id ?? '', update) : nothing} ${newImport()}
    </section>
    <section>
      <div class="bar">
        <h2>${t('history')}</h2>
        ${choice('status', t('state'), [['', t('any')], ...STATES.map((one) => [one, t(one)] as const)])}
      </div>
      ${table.view(job.id())}
    </section>`
}

function newImport(): TemplateResult {
  const problem = fault || (chosen?.fault() ?? '')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const picked = new FormData(event.target as HTMLFormElement).get('conflict')
    const conflict = typeof picked === 'string' ? picked : 'skip'
    if ((event.submitter as HTMLButtonElement).value === 'dry') void sendFile(true, conflict)
    else confirmImport(conflict)
  }
  return html`<form @submit=${submit}>
    <div class="actions">
      <label>${t('file')} <input type="file" accept=".csv,.tsv,text/csv" @change=${choose} /></label>
      <button type="button" class="quiet small" @click=${() => saveFile(TEMPLATE, 'people.csv')}>
        ${t('template')}
      </button>
    </div>
    ${chosen ? chosen.preview() : nothing}
    ${problem ? html`<p class="fault" role="alert">${problem}</p>` : nothing}
    <div class="actions">
      <label class="choice"
        ><span>${t('conflict')}</span>
        <select name="conflict">
          <option value="skip">${t('skip')}</option>
          <option value="update">${t('overwrite')}</option>
          <option value="error">${t('refuse')}</option>
        </select></label
      >
      <button class="second" value="dry" ?disabled=${isBusy || !chosen || chosen.fault() !== ''}>
        ${t('dry')}
      </button>
      <button value="import" ?disabled=${isBusy || !chosen || chosen.fault() !== ''}>${t('import')}</button>
    </div>
  </form>`
}

function inSight(shown: ImportInFull): TemplateResult {
  const { failure, warnings } = shown
  return html`<section aria-labelledby="progress">
    <div class="bar">
      <h2 id="progress">${t('progress')}</h2>
      <span role="status">${stateOf(shown)}</span>
    </div>
    ${sent?.isKnown && sent.job_id === shown.job_id ? known() : nothing} ${job.view()}
    ${facts([
      [t('made'), number(shown.success_count)],
      [t('skipped'), number(shown.skipped_count)],
      [t('errors'), number(shown.error_count)],
    ])}
    ${failure ? html`<p class="fault" role="alert">${failure.message}</p>` : nothing}
    ${warnings.map(({ message, rows }) => html`<p>${badge(number(rows), 'warn')} ${message}</p>`)}
    ${shown.error_count > 0 ? errorsOf(shown) : nothing}
  </section>`
}

const known = () =>
  html`<p>
    ${t('known')}
    <button type="button" class="second small" @click=${again}>${t('again')}</button>
  </p>`

const again = () => {
  if (sent) void sendFile(sent.dry_run, sent.conflict, `console ${Date.now()}`).catch(tell)
}

function errorsOf(shown: ImportInFull): TemplateResult {
  const { job_id, error_rows, error_rows_truncated } = shown
  const own = values?.job_id === job_id ? values : undefined
  return html`<h3>${t('error_rows')}</h3>
    ${own ? nothing : html`<p class="quiet-text">${t('no_value')}</p>`}
    <div class="scroll" role="region" tabindex="0" aria-label=${t('error_rows')}>
      <table>
        <thead>
          <tr>
            ${(['row', 'line', 'field', 'value', 'message'] as const).map((name) => html`<th scope="col" class=${name === 'row' || name === 'line' ? 'number' : ''}>${t(name)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${error_rows.map(
            ({ row, line, field, message }) =>
              html`<tr>
                <td class="number">${number(row)}</td>
                <td class="number">${number(line)}</td>
                <td>${field ?? ''}</td>
                <td dir="auto">${own?.of(row, field) ?? ''}</td>
                <td>${message}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${error_rows_truncated ? html`<p class="quiet-text">${t('truncated', { shown: error_rows.length })}</p>` : nothing}
    <div class="actions">
      <button type="button" class="second small" @click=${() => saveErrors(job_id).catch(tell)}>
        ${t('errors_csv')}
      </button>
      ${own ? html`<button type="button" class="second small" @click=${() => saveRefused(job_id).catch(tell)}>${t('refused_csv')}</button>` : nothing}
    </div>`
}

const errorsCsv = (job_id: string) => getFile(`${importOf(job_id)}/errors.csv`)
const saveErrors = async (job_id: string) => saveFile(await errorsCsv(job_id), `import-${job_id}-errors.csv`)

/** The refused rows as they stood in the file, under its header: repaired, they can be imported. */
async function saveRefused(job_id: string): Promise<void> {
  if (!chosen) return
  const errors = (await (await errorsCsv(job_id)).text()).split('\r\n').slice(1)
  const refused = new Set(errors.filter(Boolean).map((line) => Number(line.split(',', 1)[0])))
  const { header, rows, delimiter } = await chosen.rows()
  const wrong = rows.filter((_, i) => refused.has(i + 1))
  saveFile(
    [header, ...wrong].map((cells) => csvLine(cells, delimiter)).join(''),
    `import-${job_id}-refused.csv`,
  )
}

function choice(
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
  value = query.get(name) ?? '',
): TemplateResult {
  const change = (event: Event) => {
    query = setQuery({ [name]: (event.target as HTMLSelectElement).value })
    if (name === 'site_code') {
      ;[sent, values] = [undefined, undefined]
      job.close()
    }
    void table.load()
    update()
  }
  return html`<label class="choice"
    ><span>${label}</span>
    <select name=${name} @change=${change}>
      ${options.map(([one, text]) => html`<option value=${one} ?selected=${one === value}>${text}</option>`)}
    </select></label
  >`
}

openPaletteByKey()
void load()
