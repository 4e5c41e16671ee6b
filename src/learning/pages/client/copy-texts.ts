import type { Catalogue } from '#foundation/web/client/texts.ts'

/* Copying, moving, and many episodes at once. */

const en = {
  copied: '{title} is duplicated as a draft.',
  copy_title: 'Copy of {title}',
  move: 'Move to another channel',
  move_text:
    'Homework, tests and learners’ work move with it. Learners see it only if they can see the other channel.',
  to_channel: 'Channel',
  move_now: 'Move',
  no_other: 'You have no other channel to move it to.',
  paste_title: 'Add many episodes',
  paste_label: 'Video links',
  paste_hint:
    'One per line. A title can stand before the link. They are added as drafts and saved with the channel.',
  paste_now: 'Add episodes',
  paste_none: 'links: No line has a link that begins with http',
  pasted: {
    one: '{count} episode added below. Save to keep it.',
    other: '{count} episodes added below. Save to keep them.',
  },
  new_one: 'Episode {number}',
}
const de: typeof en = {
  copied: '{title} ist als Entwurf dupliziert.',
  copy_title: 'Kopie von {title}',
  move: 'In einen anderen Kanal verschieben',
  move_text:
    'Hausaufgaben, Tests und was Lernende getan haben, ziehen mit um. Lernende sehen sie nur, wenn sie den anderen Kanal sehen.',
  to_channel: 'Kanal',
  move_now: 'Verschieben',
  no_other: 'Sie haben keinen anderen Kanal dafür.',
  paste_title: 'Viele Folgen auf einmal',
  paste_label: 'Links zu Videos',
  paste_hint:
    'Einer je Zeile. Vor dem Link darf ein Titel stehen. Sie kommen als Entwürfe dazu und werden mit dem Kanal gespeichert.',
  paste_now: 'Folgen hinzufügen',
  paste_none: 'links: In keiner Zeile steht ein Link, der mit http beginnt',
  pasted: {
    one: '{count} Folge steht unten. Speichern Sie, um sie zu behalten.',
    other: '{count} Folgen stehen unten. Speichern Sie, um sie zu behalten.',
  },
  new_one: 'Folge {number}',
}
const es: typeof en = {
  copied: '{title} se ha duplicado como borrador.',
  copy_title: 'Copia de {title}',
  move: 'Mover a otro canal',
  move_text:
    'Las tareas, las pruebas y lo que hicieron los alumnos se mueven también. Los alumnos lo ven solo si ven el otro canal.',
  to_channel: 'Canal',
  move_now: 'Mover',
  no_other: 'No tiene otro canal al que moverlo.',
  paste_title: 'Muchos episodios a la vez',
  paste_label: 'Enlaces a vídeos',
  paste_hint:
    'Uno por línea. Delante del enlace puede haber un título. Se añaden como borradores y se guardan con el canal.',
  paste_now: 'Añadir episodios',
  paste_none: 'links: Ninguna línea contiene un enlace que empiece por http',
  pasted: {
    one: '{count} episodio está abajo. Guarde para conservarlo.',
    other: '{count} episodios están abajo. Guarde para conservarlos.',
  },
  new_one: 'Episodio {number}',
}

export const COPY_TEXTS: Catalogue<keyof typeof en> = { en, de, es }
