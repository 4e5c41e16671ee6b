import { texts } from '#foundation/web/client/language.ts'
import { confirmed } from './dialog.ts'
import { act } from './form.ts'
import { type Child, html } from './html.ts'
import { LEAVING_TEXTS } from './leaving-texts.ts'
import { guardUnsaved } from './read.ts'
import { SHELL_TEXTS } from './shell-texts.ts'

const t = texts(SHELL_TEXTS)
const leaving = texts(LEAVING_TEXTS)

/**
 * A form in a dialog. If `save` throws, the form shows the error and stays open. Resolves true after saving, false if
 * cancelled. Esc, Cancel and leaving the page ask when something was changed.
 */
export function formDialog(
  title: string,
  content: Child,
  saveText: string,
  save: (form: HTMLElement) => Promise<void>,
  { isWide = false } = {},
): Promise<boolean> {
  const saver = html`<button type="submit">${saveText}</button>`
  const form: HTMLElement = html`<form
    onsubmit=${(event: Event) => {
      event.preventDefault()
      void act(saver, () => save(form), form).then((worked) => worked && dialog.close('saved'))
    }}
  >
    <h2 id="form-title">${title}</h2>
    ${content}
    <div class="actions">
      ${saver}
      <button type="button" class="second" onclick=${() => leave()}>${t('cancel')}</button>
    </div>
  </form>`
  const dialog = html`<dialog class="dialog" aria-labelledby="form-title">
    ${form}
  </dialog>` as HTMLDialogElement
  dialog.classList.toggle('is-wide', isWide)
  let isDirty = false
  guardUnsaved(form, (now) => (isDirty = now))
  const leave = async () => {
    if (isDirty && !(await confirmed(leaving('ask'), leaving('text'), leaving('discard')))) return
    dialog.close('')
  }
  const ask = (event: Event) => {
    event.preventDefault()
    void leave()
  }
  dialog.addEventListener('cancel', ask)
  // A second Esc would close the dialog without asking.
  dialog.addEventListener('keydown', (event) => event.key === 'Escape' && ask(event))
  document.body.append(dialog)
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'saved')
    })
  })
}
