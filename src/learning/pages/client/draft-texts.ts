import type { Catalogue } from '#foundation/web/client/texts.ts'

/* What is written and not handed in yet. */

const en = {
  on_device: 'Draft kept on this device',
  saved: 'Draft saved',
  waits: 'Not connected: the draft is kept on this device.',
  refused: 'The draft is no longer saved: {why}',
}
type DraftText = keyof typeof en

const de: Catalogue<DraftText>['de'] = {
  on_device: 'Entwurf auf diesem Gerät gesichert',
  saved: 'Entwurf gespeichert',
  waits: 'Der Entwurf wartet auf diesem Gerät, bis der Dienst antwortet.',
  refused: 'Der Entwurf wird nicht mehr gespeichert: {why}',
}

const es: Catalogue<DraftText>['es'] = {
  on_device: 'Borrador guardado en este dispositivo',
  saved: 'Borrador guardado',
  waits: 'El borrador espera en este dispositivo hasta que el servicio responda.',
  refused: 'El borrador ya no se guarda: {why}',
}

export const DRAFT_TEXTS: Catalogue<DraftText> = { en, de, es }
