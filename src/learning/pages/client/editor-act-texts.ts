import type { Catalogue } from '#foundation/web/client/texts.ts'

/* What a lesson asks and says when its author does something. */

const en = {
  is_published: 'Published.',
  nothing: 'Nothing to publish: learners already see everything.',
  discard_ask: 'Discard the unpublished changes?',
  discard_text: 'Everything typed since the last publication is lost, yours and that of others.',
  discarded: 'Discarded.',
  unpublish_ask: 'Unpublish this episode?',
  unpublish_text: 'Learners can no longer see it. Their work is kept.',
  goes_along: 'Published with this lesson',
  with_lesson: 'Publish with this lesson',
  close: 'Close',
  at_once: 'Questions and settings are saved at once.',
  own_page: 'Open on its own page',
  untitled: 'Untitled homework',
  discard: 'Discard changes',
  unpublish: 'Unpublish',
}
type EditorActText = keyof typeof en

const de: Catalogue<EditorActText>['de'] = {
  is_published: 'Veröffentlicht.',
  nothing: 'Es gibt nichts zu veröffentlichen: Lernende sehen schon alles.',
  discard_ask: 'Die unveröffentlichten Änderungen verwerfen?',
  discard_text: 'Was seit der letzten Veröffentlichung getippt wurde, geht verloren, auch von anderen.',
  discarded: 'Verworfen.',
  unpublish_ask: 'Diese Folge zurückziehen?',
  unpublish_text: 'Lernende sehen sie nicht mehr. Was sie darin getan haben, bleibt erhalten.',
  goes_along: 'Wird mit dieser Folge veröffentlicht',
  with_lesson: 'Mit dieser Folge veröffentlichen',
  close: 'Schließen',
  at_once: 'Fragen und Einstellungen werden sofort gespeichert.',
  own_page: 'Auf eigener Seite öffnen',
  untitled: 'Hausaufgabe ohne Titel',
  discard: 'Änderungen verwerfen',
  unpublish: 'Zurückziehen',
}

const es: Catalogue<EditorActText>['es'] = {
  is_published: 'Publicado.',
  nothing: 'No hay nada que publicar: el alumnado ya lo ve todo.',
  discard_ask: '¿Descartar los cambios sin publicar?',
  discard_text: 'Se pierde lo escrito desde la última publicación, también lo de otras personas.',
  discarded: 'Descartado.',
  unpublish_ask: '¿Retirar este episodio?',
  unpublish_text: 'El alumnado ya no lo verá. Lo que hizo en él se conserva.',
  goes_along: 'Se publica con este episodio',
  with_lesson: 'Publicar con este episodio',
  close: 'Cerrar',
  at_once: 'Las preguntas y los ajustes se guardan al momento.',
  own_page: 'Abrir en su propia página',
  untitled: 'Tarea sin título',
  discard: 'Descartar los cambios',
  unpublish: 'Retirar',
}

export const EDITOR_ACT_TEXTS: Catalogue<EditorActText> = { en, de, es }
