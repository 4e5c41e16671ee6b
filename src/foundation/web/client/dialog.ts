import { html, nothing, render, type TemplateResult } from 'lit-html'
import { refusalOf } from './api.ts'
import { keepDraft } from './draft.ts'
import { texts } from './page.ts'

const t = texts({
  en: {
    cancel: 'Cancel',
    close: 'Close',
    type: 'Type {text} to confirm',
    restored: 'What you typed before is back.',
    discard: 'Discard it',
  },
  de: {
    cancel: 'Abbrechen',
    close: 'Schließen',
    type: 'Zur Bestätigung {text} eingeben',
    restored: 'Was Sie zuvor eingegeben haben, ist wieder da.',
    discard: 'Verwerfen',
  },
  es: {
    cancel: 'Cancelar',
    close: 'Cerrar',
    type: 'Escriba {text} para confirmar',
    restored: 'Se ha recuperado lo que había escrito.',
    discard: 'Descartarlo',
  },
})

type Dialog = {
  title: string
  /** Fields are inputs with names; each shows its fault from the server below itself. */
  content: TemplateResult
  submit: string
  isDangerous?: boolean
  /** For many fields side by side. */
  isWide?: boolean
  /** The person must type this first. */
  typed?: string
  /** What is typed is kept under this name until it is sent or cancelled, such as `site.` and its id. */
  draft?: string
  /** Runs on submit; the dialog stays open with the reason when it is refused, and without one for `false`. */
  act: (form: FormData) => Promise<unknown>
}

/** A form in a dialog, which closes when `act` succeeded. Esc closes it too. */
export function openDialog({ title, content, submit, typed, draft, act, ...look }: Dialog): void {
  const dialog = document.createElement('dialog')
  dialog.className = look.isWide ? 'wide' : ''
  let [detail, isBusy, given] = ['', false, '']
  let kept: ReturnType<typeof keepDraft> | undefined
  const type = (event: Event) => {
    given = (event.target as HTMLInputElement).value
    show()
  }
  dialog.setAttribute('aria-labelledby', 'dialog-title')
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy) return
    ;[isBusy, detail] = [true, '']
    const form = event.target as HTMLFormElement
    show()
    try {
      if ((await act(new FormData(form))) !== false) {
        kept?.forget()
        return dialog.close()
      }
      isBusy = false
      show()
    } catch (error) {
      const refusal = refusalOf(error)
      ;[isBusy, detail] = [false, tellFields(form, refusal.errors) ? '' : refusal.message]
      show()
    }
  }
  const show = () =>
    render(
      html`<form @submit=${onSubmit} @input=${(event: Event) => clearFault(event.target as HTMLElement)}>
        <h2 id="dialog-title">${title}</h2>
        ${kept?.restored ? restoredNote() : nothing} ${content}
        ${
          typed === undefined
            ? nothing
            : html`<label
                >${t('type', { text: typed })}
                <input name="typed" autocomplete="off" spellcheck="false" @input=${type} />
              </label>`
        }
        ${detail ? html`<p class="fault" role="alert">${detail}</p>` : nothing}
        <div class="actions">
          <button type="button" class="second" @click=${cancel}>${t('cancel')}</button>
          <button
            class=${look.isDangerous ? 'danger' : ''}
            ?disabled=${isBusy || (typed !== undefined && given !== typed)}
          >
            ${submit}
          </button>
        </div>
      </form>`,
      dialog,
    )
  const cancel = () => {
    kept?.forget()
    dialog.close()
  }
  const discard = () => {
    kept?.discard()
    if (kept) kept.restored = false
    show()
  }
  const restoredNote = () =>
    html`<p class="note" role="status">
      ${t('restored')} <button type="button" class="quiet" @click=${discard}>${t('discard')}</button>
    </p>`
  show()
  const form = dialog.querySelector('form')
  if (draft !== undefined && form) {
    kept = keepDraft(form, draft)
    dialog.addEventListener('close', kept.stop)
    if (kept.restored) show()
  }
  open(dialog)
}

/** Something to read or copy, with a button to close. */
export function showDialog(title: string, content: TemplateResult): void {
  const dialog = document.createElement('dialog')
  dialog.setAttribute('aria-labelledby', 'dialog-title')
  render(
    html`<form method="dialog">
      <h2 id="dialog-title">${title}</h2>
      ${content}
      <div class="actions"><button>${t('close')}</button></div>
    </form>`,
    dialog,
  )
  open(dialog)
}

function open(dialog: HTMLDialogElement) {
  document.body.append(dialog)
  dialog.addEventListener('close', () => dialog.remove())
  dialog.showModal()
}

/** Shows each fault below its field and moves to the first. False if a fault has no field here. */
function tellFields(form: HTMLFormElement, errors: readonly { field: string; message: string }[]): boolean {
  const faulty = errors.map(({ field, message }) => ({ input: form.elements.namedItem(field), message }))
  for (const { input, message } of faulty) {
    if (!(input instanceof HTMLElement)) continue
    const id = `${(input as HTMLInputElement).name}-fault`
    const fault = Object.assign(document.createElement('p'), { className: 'fault', id, textContent: message })
    input.setAttribute('aria-invalid', 'true')
    input.setAttribute('aria-describedby', id)
    document.getElementById(id)?.remove()
    input.after(fault)
  }
  const [first] = faulty
  if (first?.input instanceof HTMLElement) first.input.focus()
  return faulty.length > 0 && faulty.every(({ input }) => input instanceof HTMLElement)
}

function clearFault(input: HTMLElement) {
  document.getElementById(input.getAttribute('aria-describedby') ?? '')?.remove()
  input.removeAttribute('aria-invalid')
  input.removeAttribute('aria-describedby')
}
