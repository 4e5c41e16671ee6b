import { html, nothing, type TemplateResult } from 'lit-html'
import { get, refusalOf, send } from '#foundation/web/client/api.ts'
import { saveEdit } from '#foundation/web/client/conflict.ts'
import { texts } from '#foundation/web/client/page.ts'
import { toast } from '#foundation/web/client/toast.ts'
import { contrastOn, LEAST_CONTRAST, schemesOf } from '../../core/pages/contrast.ts'
import type { Branding } from './api-types.ts'
import { BRANDING } from './first-calls.ts'

/* Console › Settings › Branding: name, logo and colour of the sign-in and account pages, with a preview. */

const t = texts({
  en: {
    text: 'Sign-in, consent and account pages show this instead of our own name, sign and colour.',
    name: 'Name',
    logo_url: 'Address of the logo (https)',
    logo_hint: 'Visitors load it from there. It is shown at most 12 rem wide and 2.5 rem high.',
    color: 'Colour of buttons and links',
    pick: 'Pick a colour',
    contrast: 'Contrast on light pages: {contrast}. At least {least} is needed.',
    dark: 'On dark pages it is made lighter by itself.',
    preview: 'Preview',
    light: 'Light',
    dark_name: 'Dark',
    sign_in: 'Sign in',
    link: 'Forgotten your password?',
    save: 'Save',
    reset: 'Show ours again',
    saved: 'Saved. All pages show it within five seconds.',
  },
  de: {
    text: 'Anmelde-, Zustimmungs- und Kontoseiten zeigen dies statt unseres Namens, Zeichens und unserer Farbe.',
    name: 'Name',
    logo_url: 'Adresse des Logos (https)',
    logo_hint: 'Besucher laden es von dort. Es wird höchstens 12 rem breit und 2,5 rem hoch gezeigt.',
    color: 'Farbe von Knöpfen und Links',
    pick: 'Farbe wählen',
    contrast: 'Kontrast auf hellen Seiten: {contrast}. Nötig sind mindestens {least}.',
    dark: 'Auf dunklen Seiten wird sie von selbst aufgehellt.',
    preview: 'Vorschau',
    light: 'Hell',
    dark_name: 'Dunkel',
    sign_in: 'Anmelden',
    link: 'Passwort vergessen?',
    save: 'Speichern',
    reset: 'Wieder unsere zeigen',
    saved: 'Gespeichert. Nach höchstens fünf Sekunden zeigen es alle Seiten.',
  },
  es: {
    text: 'Las páginas de inicio de sesión, consentimiento y cuenta muestran esto en lugar de nuestro nombre, signo y color.',
    name: 'Nombre',
    logo_url: 'Dirección del logotipo (https)',
    logo_hint:
      'Los visitantes lo cargan desde allí. Se muestra con 12 rem de ancho y 2,5 rem de alto como máximo.',
    color: 'Color de botones y enlaces',
    pick: 'Elegir un color',
    contrast: 'Contraste en páginas claras: {contrast}. Se necesita al menos {least}.',
    dark: 'En páginas oscuras se aclara solo.',
    preview: 'Vista previa',
    light: 'Claro',
    dark_name: 'Oscuro',
    sign_in: 'Iniciar sesión',
    link: '¿Ha olvidado su contraseña?',
    save: 'Guardar',
    reset: 'Volver a mostrar lo nuestro',
    saved: 'Guardado. Todas las páginas lo muestran en cinco segundos.',
  },
})

const OURS = { name: 'Lyceum', logo_url: null, color: null }
const OUR_COLOR = '#3d4fd1'
const FIELDS = ['name', 'logo_url', 'color'] as const
const one = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 1 })
type Typed = Record<(typeof FIELDS)[number], string>

export function brandingSection(update: () => void): {
  load: () => Promise<void>
  view: () => TemplateResult | typeof nothing
} {
  let was: Branding | undefined
  let typed: Typed = { name: '', logo_url: '', color: '' }
  let [isBusy, faults] = [false, new Map<string, string>()]

  const fill = (found: Branding) => {
    was = found
    typed = { name: found.name, logo_url: found.logo_url ?? '', color: found.color ?? '' }
  }
  const load = async () => {
    fill(await get<Branding>(BRANDING))
    update()
  }

  /** PUT takes the whole, so fields that were not changed are sent as they stand. */
  async function save(yours: Omit<Branding, 'version'>) {
    if (!was || isBusy) return
    ;[isBusy, faults] = [true, new Map()]
    update()
    let stands = was
    try {
      const saved = await saveEdit<Branding>({
        was,
        yours,
        names: { name: t('name'), logo_url: t('logo_url'), color: t('color') },
        read: async () => (stands = await get<Branding>(BRANDING)),
        save: (changes, version) => {
          const { name, logo_url, color } = { ...stands, ...changes }
          return send<Branding>('PUT', BRANDING, { name, logo_url, color }, version)
        },
      })
      if (saved) {
        fill(saved)
        toast(t('saved'))
      }
    } catch (error) {
      const { errors, message } = refusalOf(error)
      faults = new Map(errors.map((fault) => [fault.field, fault.message]))
      if (faults.size === 0) toast(message)
    }
    isBusy = false
    update()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const { name, logo_url, color } = typed
    return save({
      name: name.trim(),
      logo_url: logo_url.trim() || null,
      color: color.trim().toLowerCase() || null,
    })
  }

  function input(name: (typeof FIELDS)[number], hint?: string): TemplateResult {
    const fault = faults.get(name)
    const type = (event: Event) => {
      typed = { ...typed, [name]: (event.target as HTMLInputElement).value }
      faults.delete(name)
      update()
    }
    return html`<label
      >${t(name)}
      <input
        name=${name}
        .value=${typed[name]}
        @input=${type}
        dir="auto"
        autocomplete="off"
        spellcheck="false"
        placeholder=${name === 'color' ? OUR_COLOR : ''}
        maxlength=${name === 'name' ? 60 : 2048}
        ?required=${name === 'name'}
        aria-invalid=${fault === undefined ? nothing : 'true'}
      />
      ${hint === undefined ? nothing : html`<span class="quiet-text">${hint}</span>`}
      ${fault === undefined ? nothing : html`<span class="fault" role="alert">${fault}</span>`}</label
    >`
  }

  const view = () => {
    if (!was) return nothing
    const color = /^#[0-9a-f]{6}$/i.test(typed.color) ? typed.color.toLowerCase() : OUR_COLOR
    const contrast = contrastOn(color)
    const pick = (event: Event) => {
      typed = { ...typed, color: (event.target as HTMLInputElement).value }
      update()
    }
    queueMicrotask(() => paint(color))
    return html`<p>${t('text')}</p>
      <form class="branding" @submit=${submit}>
        ${input('name')} ${input('logo_url', t('logo_hint'))}
        <div class="actions">
          ${input('color')}
          <input type="color" aria-label=${t('pick')} .value=${color} @input=${pick} />
        </div>
        <p class=${contrast < LEAST_CONTRAST ? 'fault' : 'quiet-text'} aria-live="polite">
          ${t('contrast', { contrast: one.format(contrast), least: one.format(LEAST_CONTRAST) })} ${t('dark')}
        </p>
        <div class="actions">
          <button ?disabled=${isBusy}>${t('save')}</button>
          ${
            was.version === 0
              ? nothing
              : html`<button type="button" class="second" ?disabled=${isBusy} @click=${() => save(OURS)}>
                  ${t('reset')}
                </button>`
          }
        </div>
      </form>
      <h2>${t('preview')}</h2>
      <div class="brand-previews">${(['light', 'dark'] as const).map(previewOf)}</div>`
  }
  const previewOf = (scheme: 'light' | 'dark') =>
    html`<figure class="brand-preview" data-scheme=${scheme}>
      <p class="preview-brand" dir="auto">
        ${
          typed.logo_url.startsWith('https://')
            ? html`<img src=${typed.logo_url} alt=${typed.name} referrerpolicy="no-referrer" />`
            : typed.name
        }
      </p>
      <span class="preview-button">${t('sign_in')}</span>
      <span class="preview-link">${t('link')}</span>
      <figcaption>${scheme === 'light' ? t('light') : t('dark_name')}</figcaption>
    </figure>`

  return { load, view }
}

/** By the style of elements and not by an attribute, which the policy of the page refuses. */
function paint(color: string): void {
  const schemes = schemesOf(color)
  for (const scheme of ['light', 'dark'] as const) {
    const preview = document.querySelector<HTMLElement>(`.brand-preview[data-scheme=${scheme}]`)
    for (const [name, value] of Object.entries(schemes[scheme]))
      preview?.style.setProperty(`--${name}`, value)
  }
}
