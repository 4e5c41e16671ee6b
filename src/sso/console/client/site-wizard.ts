import { html, nothing, type TemplateResult } from 'lit-html'
import { fold } from '#foundation/text.ts'
import { get, refusalOf, send } from '#foundation/web/client/api.ts'
import { recall, remember } from '#foundation/web/client/memory.ts'
import { openPage, takeFirst, texts } from '#foundation/web/client/page.ts'
import { openPaletteByKey } from '#foundation/web/client/palette.ts'
import { codeSample, copyButton, facts } from '#foundation/web/client/parts.ts'
import type { FullSite, ManagedSite } from './api-types.ts'
import { sitesOf } from './first-calls.ts'
import { signInSamples } from './sign-in-samples.ts'
import { WIZARD_TEXTS, type WizardText } from './site-wizard-texts.ts'

/* Console › Sites › New site: three steps, and at the end the secrets and a sample that signs somebody in. */

const t = texts(WIZARD_TEXTS)
const LAST = 3
const FIELDS = ['name', 'environment', 'site_code', 'callback_url'] as const
type FieldName = (typeof FIELDS)[number]
type Made = FullSite & { site_key: string; webhook_secret: string; jwt_secret: string }

const NEW = { name: '', environment: 'sandbox', site_code: '', callback_url: '' }
/** What is typed survives a reload, as in the dialogs of the console. */
const DRAFT = `draft.${document.body.dataset['person'] ?? ''}.new_site`
const typed: Record<FieldName, string> = { ...NEW, ...(JSON.parse(recall(DRAFT) ?? '{}') as object) }
/** On which step each field is asked, so that a refusal leads back to it. */
const STEP: Record<FieldName, number> = { name: 1, environment: 1, site_code: 2, callback_url: 2 }
let step = stepOf(history.state)
let [isBusy, fault] = [false, '']
let hasOwnCode = typed.site_code !== '' && typed.site_code !== codeOf(typed.name)
let faults = new Map<string, string>()
/** The code that an answer was lost for, and the site that a second try found under it. */
let lost: string | undefined
let exists: ManagedSite | undefined
let made: Made | undefined
let sample: (() => TemplateResult) | undefined

takeFirst('is_operator')
const update = openPage(view)

/** Each step is an entry of the history, so that the browser's own button goes one step back. */
function goTo(next: number): void {
  step = next
  history.pushState({ step }, '')
  update()
  queueMicrotask(() => document.querySelector<HTMLElement>('#page input')?.focus())
}
addEventListener('popstate', ({ state }) => {
  step = stepOf(state)
  update()
})

/** Without a name there is nothing to go on with. */
function stepOf(state: unknown): number {
  return typed.name.trim() === '' ? 1 : ((state as { step?: number } | null)?.step ?? 1)
}

/** A code to begin with; a name of other letters gives none. */
function codeOf(name: string): string {
  const code = fold(name)
    .replaceAll('ß', 'ss')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40)
  return code.length < 3 ? '' : code
}

/** Every site is sent with a code, because the code makes it happen once. */
function randomCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(4))
  return `site-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function type(name: FieldName, value: string): void {
  typed[name] = value
  faults.delete(name)
  exists = undefined
  if (name === 'site_code') hasOwnCode = true
  if (name === 'name' && !hasOwnCode) typed.site_code = codeOf(value)
  remember(DRAFT, JSON.stringify(typed))
  update()
}

function onward(event: SubmitEvent): void | Promise<void> {
  event.preventDefault()
  if (typed.name.trim() === '') {
    faults.set('name', t('needs_name'))
    return update()
  }
  return step < LAST ? goTo(step + 1) : make()
}

/** The code makes it happen once: who sends it again after a lost answer finds the site instead of a second one. */
async function make(): Promise<void> {
  if (isBusy) return
  ;[isBusy, fault, exists] = [true, '', undefined]
  update()
  typed.site_code = typed.site_code.trim() || randomCode()
  const { name, environment, site_code, callback_url } = typed
  try {
    const answer = await send<Made | Record<string, never>>('POST', '/api/v1/sites', {
      name: name.trim(),
      environment,
      token_signing: 'HS256',
      is_apart: true,
      site_code,
      ...(callback_url.trim() && { callback_url: callback_url.trim() }),
    })
    if (answer.site_key === undefined) throw Object.assign(new Error('cut off'), { status: 0 })
    made = answer as Made
    sample = codeSample(t('try'), signInSamples(location.origin, made.site_key))
    remember(DRAFT, undefined)
  } catch (error) {
    await tell(refusalOf(error))
  }
  isBusy = false
  update()
  if (made) queueMicrotask(() => document.querySelector<HTMLElement>('#made')?.focus())
}

async function tell({ status, code, message, errors }: ReturnType<typeof refusalOf>): Promise<void> {
  if (status === 0) {
    ;[lost, fault] = [typed.site_code, t('lost')]
  } else if (code === 'site_code_taken') {
    faults.set('site_code', t('taken'))
    if (lost !== typed.site_code) return back()
    const search = new URLSearchParams({ q: typed.site_code })
    const { items } = await get<{ items: ManagedSite[] }>(sitesOf(search)).catch(() => ({ items: [] }))
    exists = items.find(({ site_code }) => site_code === typed.site_code)
  } else if (errors.length > 0) {
    faults = new Map(errors.map((one) => [one.field, one.message]))
  } else fault = message
  back()
}

/** To the first field that is wrong. */
function back(): void {
  const wrong = FIELDS.find((name) => faults.has(name))
  if (wrong) history.go(STEP[wrong] - step)
}

function view(): TemplateResult {
  if (made && sample) return doneView(made, sample)
  return html`<ol class="stages" aria-label=${t('steps')}>
      ${([1, 2, 3] as const).map(
        (one) => html`<li aria-current=${one === step ? 'step' : nothing}>${t(`step_${one}`)}</li>`,
      )}
    </ol>
    <form class="narrow" novalidate @submit=${onward}>
      ${step === 1 ? whatItIs() : step === 2 ? whereItIs() : summary()}
      ${fault ? html`<p class="fault" role="alert">${fault}</p>` : nothing}
      <div class="actions">
        ${
          step > 1
            ? html`<button type="button" class="second" @click=${() => history.back()}>${t('back')}</button>`
            : nothing
        }
        <button ?disabled=${isBusy}>${step < LAST ? t('next') : t('make')}</button>
      </div>
    </form>`
}

const whatItIs = () =>
  html`${field('name', t('name_hint'), { maxlength: 200 })}
    <fieldset class="options">
      <legend>${t('environment')}</legend>
      ${(['sandbox', 'production'] as const).map(
        (one) =>
          html`<label class="option">
            <input
              type="radio"
              name="environment"
              value=${one}
              .checked=${typed.environment === one}
              @change=${() => type('environment', one)}
            />
            <span>${t(one)} <small>${t(`${one}_hint`)}</small></span>
          </label>`,
      )}
    </fieldset>`

const whereItIs = () =>
  html`${field('site_code', t('code_hint'), { maxlength: 40 })} ${existing()}
  ${field('callback_url', t('callback_hint'), { maxlength: 2_048, placeholder: 'https://' })}`

function existing(): TemplateResult | typeof nothing {
  if (exists === undefined) return nothing
  return html`<p class="note">
    ${t('yours')} <a href="/console/sites/${exists.site_id}" dir="auto">${exists.name}</a>
  </p>`
}

const summary = () =>
  html`<p>${t('summary')}</p>
    ${facts([
      [t('name'), typed.name],
      [t('environment'), t(typed.environment === 'production' ? 'production' : 'sandbox')],
      [t('site_code'), typed.site_code],
      [t('callback_url'), typed.callback_url || t('no_callback')],
    ])}`

type Look = { maxlength: number; placeholder?: string }

function field(
  name: FieldName & WizardText,
  hint: string,
  { maxlength, placeholder = '' }: Look,
): TemplateResult {
  const wrong = faults.get(name)
  const change = (event: Event) => type(name, (event.target as HTMLInputElement).value)
  return html`<div class="field">
    <label for=${name}>${t(name)}</label>
    <input
      id=${name}
      name=${name}
      .value=${typed[name]}
      @input=${change}
      maxlength=${maxlength}
      placeholder=${placeholder}
      dir="auto"
      autocomplete="off"
      spellcheck="false"
      aria-describedby="${name}-hint"
      aria-invalid=${wrong === undefined ? nothing : 'true'}
    />
    <small id="${name}-hint">${hint}</small>
    ${wrong === undefined ? nothing : html`<span class="fault" role="alert">${wrong}</span>`}
  </div>`
}

function doneView(site: Made, showSample: () => TemplateResult): TemplateResult {
  const secret = (name: 'site_key' | 'webhook_secret' | 'jwt_secret') =>
    html`<section>
      <div class="bar middle">
        <h3>${t(name)}</h3>
        ${copyButton(site[name])}
      </div>
      <p class="secret">${site[name]}</p>
    </section>`
  return html`<h2 id="made" tabindex="-1" dir="auto">${t('made', { name: site.name })}</h2>
    <p class="note" role="status">${t('once')}</p>
    ${site.status === 'pending' ? html`<p class="note">${t('pending')}</p>` : nothing}
    ${site.domain === site.site_code || site.domain_verified ? nothing : html`<p>${t('prove', { domain: site.domain })}</p>`}
    ${secret('site_key')} ${secret('webhook_secret')} ${secret('jwt_secret')}
    <h2>${t('try')}</h2>
    <p>${t('try_text')}</p>
    ${showSample()}
    <p><a href="/console/sites/${site.site_id}">${t('to_site')}</a></p>`
}

openPaletteByKey()
