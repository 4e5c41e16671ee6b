import { html, nothing, render, type TemplateResult } from 'lit-html'
import { refusalOf } from './api.ts'
import { changesOf, isOther } from './changes.ts'
import { texts } from './page.ts'
import { badge } from './parts.ts'

const t = texts({
  en: {
    title: 'Somebody else changed this meanwhile',
    text: 'Your changes are not saved yet. Saving yours touches only the fields that you changed.',
    again: 'It has changed once more. Look at it again, please.',
    field: 'Field',
    was: 'Was',
    theirs: 'Theirs',
    yours: 'Yours',
    both: 'both',
    edit: 'Go on editing',
    take: 'Take theirs',
    save: 'Save mine',
    none: 'empty',
  },
  de: {
    title: 'Jemand anderes hat dies inzwischen geändert',
    text: 'Ihre Änderungen sind noch nicht gespeichert. Gespeichert werden nur die Felder, die Sie geändert haben.',
    again: 'Es hat sich noch einmal geändert. Bitte sehen Sie es sich erneut an.',
    field: 'Feld',
    was: 'Vorher',
    theirs: 'Andere',
    yours: 'Sie',
    both: 'beide',
    edit: 'Weiter bearbeiten',
    take: 'Deren Stand übernehmen',
    save: 'Meine speichern',
    none: 'leer',
  },
  es: {
    title: 'Otra persona ha cambiado esto mientras tanto',
    text: 'Sus cambios aún no están guardados. Solo se guardan los campos que usted ha cambiado.',
    again: 'Ha cambiado otra vez. Revíselo de nuevo, por favor.',
    field: 'Campo',
    was: 'Antes',
    theirs: 'Otra persona',
    yours: 'Usted',
    both: 'ambos',
    edit: 'Seguir editando',
    take: 'Quedarse con lo suyo',
    save: 'Guardar lo mío',
    none: 'vacío',
  },
})

type Edit<Thing extends { version: number }> = {
  /** What the form was filled with. */
  was: Thing
  /** The fields of the form. Only those that differ from `was` are sent. */
  yours: Partial<Thing>
  /** What the fields are called. A field without a name is not compared. */
  names: Partial<Record<keyof Thing, string>>
  /** How a value is written, where it is not as it is stored. */
  inWords?: (name: keyof Thing, value: unknown) => unknown
  read: () => Promise<Thing>
  /** Sends the fields with If-Match. */
  save: (changes: Partial<Thing>, version: number) => Promise<Thing>
}

/**
 * Saves the fields that were changed in a form. When somebody else was faster, the person sees each field as it was, as it
 * is and as they typed it, and decides. Resolves with what stands then, or with undefined when they go on editing; throws
 * any other Refusal. Sent again after a lost answer, it finds what it wrote and is content.
 */
export async function saveEdit<Thing extends { version: number }>(
  edit: Edit<Thing>,
): Promise<Thing | undefined> {
  const { was, yours, read, save } = edit
  const changes = changesOf(was, yours)
  if (Object.keys(changes).length === 0) return was
  try {
    return await save(changes, was.version)
  } catch (error) {
    if (!isConflict(error)) throw error
  }
  const theirs = await read()
  return Object.keys(changesOf(theirs, changes)).length === 0 ? theirs : settle(edit, changes, theirs)
}

function isConflict(error: unknown): boolean {
  const { status, code } = refusalOf(error)
  return status === 412 || (status === 409 && code === 'version_conflict')
}

/** Asks until it is decided. */
function settle<Thing extends { version: number }>(edit: Edit<Thing>, changes: Partial<Thing>, found: Thing) {
  const dialog = document.createElement('dialog')
  dialog.className = 'wide'
  dialog.setAttribute('aria-labelledby', 'conflict-title')
  let [theirs, isBusy, note] = [found, false, '']
  return new Promise<Thing | undefined>((resolve, reject) => {
    const end = (thing?: Thing): void => {
      resolve(thing)
      dialog.close()
    }
    const saveMine = async () => {
      isBusy = true
      show()
      try {
        return end(await edit.save(changes, theirs.version))
      } catch (error) {
        if (!isConflict(error)) throw error
      }
      theirs = await edit.read()
      ;[isBusy, note] = [false, t('again')]
      show()
    }
    const fail = (error: unknown) => {
      reject(refusalOf(error))
      dialog.close()
    }
    const show = () =>
      render(
        html`<h2 id="conflict-title">${t('title')}</h2>
          <p>${t('text')}</p>
          <p role="alert" class="fault">${note}</p>
          ${tableOf(edit, changes, theirs)}
          <div class="actions">
            <button type="button" class="second" @click=${() => end()}>${t('edit')}</button>
            <button type="button" class="second" @click=${() => end(theirs)}>${t('take')}</button>
            <button type="button" ?disabled=${isBusy} @click=${() => saveMine().catch(fail)}>
              ${t('save')}
            </button>
          </div>`,
        dialog,
      )
    show()
    document.body.append(dialog)
    dialog.addEventListener('close', () => {
      resolve(undefined)
      dialog.remove()
    })
    dialog.showModal()
  })
}

/** The fields that anybody changed. */
function tableOf<Thing extends { version: number }>(
  { was, names, inWords = (_, value) => value }: Edit<Thing>,
  changes: Partial<Thing>,
  theirs: Thing,
): TemplateResult {
  const fields = (Object.keys(names) as (keyof Thing)[]).filter(
    (name) => name in changes || isOther(theirs[name], was[name]),
  )
  const row = (name: keyof Thing) => {
    const isBoth = name in changes && isOther(theirs[name], was[name])
    const cells = [was[name], theirs[name], name in changes ? changes[name] : theirs[name]]
    return html`<tr>
      <th scope="row">${names[name]} ${isBoth ? badge(t('both'), 'warn') : nothing}</th>
      ${cells.map((value) => html`<td class="wraps" dir="auto">${shown(inWords(name, value))}</td>`)}
    </tr>`
  }
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${t('title')}>
    <table>
      <thead>
        <tr>
          ${[t('field'), t('was'), t('theirs'), t('yours')].map((title) => html`<th scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${fields.map(row)}
      </tbody>
    </table>
  </div>`
}

const shown = (value: unknown): TemplateResult | string => {
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
    return html`<span class="quiet-text">${t('none')}</span>`
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
