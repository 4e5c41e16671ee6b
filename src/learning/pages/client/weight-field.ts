import { texts } from '#foundation/web/client/language.ts'
import type { Catalogue } from '#foundation/web/client/texts.ts'
import { field } from './form.ts'
import { html } from './html.ts'

const en = {
  label: 'Weight in the grade',
  hint: 'Empty: as many as its points. 0: counts for nothing',
}
const de: typeof en = {
  label: 'Gewicht in der Note',
  hint: 'Leer: so viel wie die Punkte. 0: zählt nicht',
}
const es: typeof en = {
  label: 'Peso en la calificación',
  hint: 'Vacío: tanto como sus puntos. 0: no cuenta',
}
const catalogue: Catalogue<keyof typeof en> = { en, de, es }
const t = texts(catalogue)

/** What one homework or test counts in a grade; empty means that its points decide. */
export const weightField = (weight: number | null) =>
  field({
    name: 'weight',
    label: t('label'),
    isOptional: true,
    hint: t('hint'),
    control: html`<input type="number" min="0" max="1000" step="0.01" value=${weight ?? ''} />`,
  })
