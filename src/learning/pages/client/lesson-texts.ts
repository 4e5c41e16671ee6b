import type { Catalogue } from '#foundation/web/client/texts.ts'

/* An episode that is done by hand, what comes after it, and one that is still locked. */

const en = {
  mark_done: 'Mark as done',
  unplayable_done: 'If you watched or read it elsewhere, mark the episode as done.',
  strict: 'This episode must be watched here. Please tell the teacher that its video does not play.',
  up_next: 'Up next',
  take: 'Take the test “{title}”',
  do: 'Do the homework “{title}”',
  next_episode: 'Next episode: {title}',
  channel_done: 'You have finished every episode of “{title}”.',
  is_locked: '“{title}” is locked',
  locked_text: 'Episodes of {channel} open in order. Finish {episode} first.',
  go_there: 'Go to “{title}”',
}
type LessonText = keyof typeof en

const de: Catalogue<LessonText>['de'] = {
  mark_done: 'Als erledigt markieren',
  unplayable_done: 'Haben Sie es anderswo gelesen oder gesehen? Dann markieren Sie die Folge als erledigt.',
  strict:
    'Diese Folge muss hier angesehen werden. Bitte sagen Sie der Lehrkraft, dass das Video nicht läuft.',
  up_next: 'Als Nächstes',
  take: 'Den Test „{title}“ machen',
  do: 'Die Hausaufgabe „{title}“ machen',
  next_episode: 'Nächste Folge: {title}',
  channel_done: 'Sie haben jede Folge von „{title}“ abgeschlossen.',
  is_locked: '„{title}“ ist gesperrt',
  locked_text: 'Die Folge gehört zu {channel}; dort lernt man der Reihe nach. Erst kommt {episode}.',
  go_there: 'Zu „{title}“',
}

const es: Catalogue<LessonText>['es'] = {
  mark_done: 'Marcar como hecho',
  unplayable_done: '¿Lo ha leído o visto en otro lugar? Entonces marque el episodio como hecho.',
  strict: 'Este episodio debe verse aquí; avise al profesorado de que el vídeo no se reproduce.',
  up_next: 'A continuación',
  take: 'Hacer la prueba «{title}»',
  do: 'Hacer la tarea «{title}»',
  next_episode: 'Episodio siguiente: {title}',
  channel_done: 'Ha terminado todos los episodios de «{title}».',
  is_locked: '«{title}» está bloqueado',
  locked_text: 'Es un episodio de {channel}, que se aprende en orden. Termine antes {episode}.',
  go_there: 'Ir a «{title}»',
}

export const LESSON_TEXTS: Catalogue<LessonText> = { en, de, es }
