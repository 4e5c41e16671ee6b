import { texts } from '#foundation/web/client/language.ts'
import { type Child, html } from './html.ts'
import { SHELL_TEXTS } from './shell-texts.ts'

const t = texts(SHELL_TEXTS)

/** Asks before an action that cannot be undone. True if confirmed. */
export function confirmed(title: string, text: Child, yes: string): Promise<boolean> {
  const dialog = html`<dialog class="dialog" aria-labelledby="dialog-title">
    <form method="dialog">
      <h2 id="dialog-title">${title}</h2>
      <p>${text}</p>
      <div class="actions">
        <button value="yes" class="danger">${yes}</button>
        <button value="no" class="second" autofocus>${t('cancel')}</button>
      </div>
    </form>
  </dialog>` as HTMLDialogElement
  return opened(dialog).then((value) => value === 'yes')
}

/** Shows content in a dialog with a button to close it; Esc closes it too. */
export function showDialog(title: string, content: Child): Promise<string> {
  return opened(
    html`<dialog class="dialog" aria-labelledby="dialog-title">
      <form method="dialog">
        <h2 id="dialog-title">${title}</h2>
        ${content}
        <div class="actions"><button value="">${t('close')}</button></div>
      </form>
    </dialog>` as HTMLDialogElement,
  )
}

function opened(dialog: HTMLDialogElement): Promise<string> {
  document.body.append(dialog)
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue)
    })
  })
}
