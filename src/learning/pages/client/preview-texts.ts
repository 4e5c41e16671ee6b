import type { Catalogue } from '#foundation/web/client/texts.ts'

/* What a visitor reads on the page of a public channel. */

const en = {
  join: 'Sign in to join',
  why: 'Sign in to watch, hand in homework, take tests and keep your progress.',
  closed: 'This channel is closed to new learners.',
  sign_in: 'Sign in',
}
type PreviewText = keyof typeof en

const de: Catalogue<PreviewText>['de'] = {
  join: 'Anmelden und beitreten',
  why: 'Ansehen, Hausaufgaben, Tests und Ihr Fortschritt brauchen eine Anmeldung.',
  closed: 'Diesem Kanal kann zurzeit niemand neu beitreten.',
  sign_in: 'Anmelden',
}

const es: Catalogue<PreviewText>['es'] = {
  join: 'Iniciar sesión para inscribirse',
  why: 'Para ver los vídeos, hacer tareas y pruebas y guardar su progreso hay que iniciar sesión.',
  closed: 'Ahora nadie nuevo puede inscribirse en este canal.',
  sign_in: 'Iniciar sesión',
}

export const PREVIEW_TEXTS: Catalogue<PreviewText> = { en, de, es }
