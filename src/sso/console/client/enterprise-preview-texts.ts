import type { Catalogue } from '#foundation/web/client/texts.ts'

const en = {
  nobody: 'Sign in once through the provider: then you see here what the mapping makes of it.',
  from: 'Below each field: what it would get from the sign-in',
  kept: 'What the provider sent is kept encrypted for a day, of the last person only.',
  nothing: '→ nothing',
  no_values: 'nothing',
  default_role: 'default role',
}
export type PreviewText = keyof typeof en

const de: Record<PreviewText, string> = {
  nobody: 'Melden Sie sich einmal über den Anbieter an: Dann sehen Sie hier, was die Zuordnung daraus macht.',
  from: 'Unter jedem Feld: was es bei dieser Anmeldung bekäme',
  kept: 'Was der Anbieter sendet, wird einen Tag lang verschlüsselt aufbewahrt, nur von der letzten Person.',
  nothing: '→ nichts',
  no_values: 'nichts',
  default_role: 'Standardrolle',
}

const es: Record<PreviewText, string> = {
  nobody: 'Inicie sesión una vez a través del proveedor: entonces verá aquí el resultado de la asignación.',
  from: 'Debajo de cada campo: lo que recibiría de este inicio de sesión',
  kept: 'Lo que envía el proveedor se guarda cifrado un día, solo de la última persona.',
  nothing: '→ nada',
  no_values: 'nada',
  default_role: 'rol predeterminado',
}

export const PREVIEW_TEXTS: Catalogue<PreviewText> = { en, de, es }
