import type { Catalogue } from '#foundation/web/client/texts.ts'

/* What keeps an author from losing work, or from publishing what is not ready. */

const en = {
  ask: 'Discard your changes?',
  text: 'They are not saved.',
  discard: 'Discard',
  publish_all: 'Publish all episodes',
  not_yet: 'Not ready for learners yet. Missing: {open}',
}
type LeavingText = keyof typeof en

const de: Catalogue<LeavingText>['de'] = {
  ask: 'Änderungen verwerfen?',
  text: 'Sie sind nicht gespeichert.',
  discard: 'Verwerfen',
  publish_all: 'Alle Folgen veröffentlichen',
  not_yet: 'Das ist noch nichts für Lernende. Es fehlt: {open}',
}

const es: Catalogue<LeavingText>['es'] = {
  ask: '¿Descartar los cambios?',
  text: 'No están guardados.',
  discard: 'Descartar',
  publish_all: 'Publicar todos los episodios',
  not_yet: 'Aún no está listo para el alumnado. Falta: {open}',
}

export const LEAVING_TEXTS: Catalogue<LeavingText> = { en, de, es }
