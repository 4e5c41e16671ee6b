import { type Child, html } from './html.ts'

/** Asks before an action that cannot be undone. True if confirmed. */
export function confirmed(title: string, text: Child, yes: string): Promise<boolean> {
  const dialog = html`<dialog class="dialog" aria-labelledby="dialog-title">
    <form method="dialog">
      <h2 id="dialog-title">${title}</h2>
      <p>${text}</p>
      <div class="actions">
        <button value="yes" class="danger">${yes}</button>
        <button value="no" class="second" autofocus>Cancel</button>
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
        <div class="actions"><button value="">Close</button></div>
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
