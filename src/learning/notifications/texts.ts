import type { Catalogue } from '#foundation/web/client/texts.ts'

const en = {
  graded: 'New grade or feedback: {title}',
  due: 'Due within 24 hours: {title}',
  episode: 'New in {channel}: {title}',
  answer: 'Answer to your question in {title}',
  graded_text: 'Your work “{title}” in “{channel}” has a new grade or feedback.',
  due_text: '“{title}” in “{channel}” is due within the next 24 hours, and you have not handed it in yet.',
  episode_text: {
    one: '“{title}” is new in “{channel}”.',
    other: '{count} episodes are new in “{channel}”, from “{title}” on.',
  },
  answer_text: 'Somebody answered your question below “{title}” in “{channel}”.',
  why: 'You get this mail because you learn in “{channel}”. End mails of this kind with one click: {url}',
  leave_title: 'Mail from Lyceum',
  leave_kind: 'End mails of this kind?',
  leave_text: 'You go on seeing it in Lyceum. Your settings there switch mails on again.',
  leave_this: 'End mails of this kind',
  leave_all: 'End all mails from Learning',
  left: 'Done. You get no more of these mails.',
  bad_link: 'This link is not complete. Copy it once more from the mail, or change your settings in Lyceum.',
  home: 'To Lyceum',
}
export type NotificationText = keyof typeof en

const de: Catalogue<NotificationText>['de'] = {
  graded: 'Neue Note oder Rückmeldung: {title}',
  due: 'In 24 Stunden fällig: {title}',
  episode: 'Neu in {channel}: {title}',
  answer: 'Antwort auf Ihre Frage zu {title}',
  graded_text: 'Ihre Arbeit „{title}“ in „{channel}“ hat eine neue Note oder Rückmeldung.',
  due_text:
    '„{title}“ in „{channel}“ ist in den nächsten 24 Stunden fällig, und Sie haben noch nichts abgegeben.',
  episode_text: {
    one: '„{title}“ ist neu in „{channel}“.',
    other: '{count} Folgen sind neu in „{channel}“, ab „{title}“.',
  },
  answer_text: 'Jemand hat Ihre Frage unter „{title}“ in „{channel}“ beantwortet.',
  why: 'Sie bekommen diese E-Mail, weil Sie in „{channel}“ lernen. E-Mails dieser Art mit einem Klick beenden: {url}',
  leave_title: 'E-Mails von Lyceum',
  leave_kind: 'E-Mails dieser Art beenden?',
  leave_text:
    'In Lyceum sehen Sie es weiterhin. In den Einstellungen dort schalten Sie die E-Mails wieder ein.',
  leave_this: 'E-Mails dieser Art beenden',
  leave_all: 'Alle E-Mails von Learning beenden',
  left: 'Erledigt. Sie bekommen diese E-Mails nicht mehr.',
  bad_link:
    'Der Link ist nicht vollständig. Kopieren Sie ihn noch einmal aus der E-Mail, oder ändern Sie die Einstellungen in Lyceum.',
  home: 'Zu Lyceum',
}

const es: Catalogue<NotificationText>['es'] = {
  graded: 'Nueva calificación o comentario: {title}',
  due: 'Vence en 24 horas: {title}',
  episode: 'Nuevo en {channel}: {title}',
  answer: 'Respuesta a su pregunta en {title}',
  graded_text: 'Su trabajo «{title}» en «{channel}» tiene una nueva calificación o un comentario.',
  due_text: '«{title}» en «{channel}» vence en las próximas 24 horas y usted aún no ha entregado nada.',
  episode_text: {
    one: '«{title}» es nuevo en «{channel}».',
    other: 'Hay {count} episodios nuevos en «{channel}», desde «{title}».',
  },
  answer_text: 'Alguien respondió a su pregunta bajo «{title}» en «{channel}».',
  why: 'Recibe este correo porque aprende en «{channel}». Deje de recibir correos de este tipo con un clic: {url}',
  leave_title: 'Correos de Lyceum',
  leave_kind: '¿Dejar de recibir correos de este tipo?',
  leave_text: 'Seguirá viéndolo en Lyceum. En los ajustes puede volver a activar los correos.',
  leave_this: 'Dejar de recibir correos de este tipo',
  leave_all: 'Dejar de recibir todos los correos de Learning',
  left: 'Hecho. Ya no recibirá estos correos.',
  bad_link: 'El enlace no está completo. Cópielo otra vez del correo o cambie sus ajustes en Lyceum.',
  home: 'Ir a Lyceum',
}

export const NOTIFICATION_TEXTS: Catalogue<NotificationText> = { en, de, es }
