import type { Catalogue } from '#foundation/web/client/texts.ts'

/* What a page says instead of a thing that is not there, or not for the reader. */

const en = {
  forbidden: 'You do not have access',
  channel: 'This channel does not exist, or you do not have access to it',
  episode: 'This episode does not exist, or you do not have access to it',
  homework: 'This homework does not exist, or you do not have access to it',
  test: 'This test does not exist, or you do not have access to it',
  attempt: 'This attempt does not exist, or you do not have access to it',
  learner: 'No such learner in this channel',
  nothing: 'Page not found',
  why: 'It may have been removed, or the link is incomplete. You can continue here:',
  from_here: 'You can continue here:',
  to_channel: 'Channel: {title}',
  to_episode: 'Episode: {title}',
  to_channels: 'All channels',
  to_start: 'Home',
}
type LostText = keyof typeof en

const de: Catalogue<LostText>['de'] = {
  forbidden: 'Das steht Ihnen nicht offen',
  channel: 'Diesen Kanal gibt es nicht, oder Sie dürfen ihn nicht öffnen',
  episode: 'Diese Folge gibt es nicht, oder Sie dürfen sie nicht öffnen',
  homework: 'Diese Hausaufgabe gibt es nicht, oder Sie dürfen sie nicht öffnen',
  test: 'Diesen Test gibt es nicht, oder Sie dürfen ihn nicht öffnen',
  attempt: 'Diesen Versuch gibt es nicht, oder Sie dürfen ihn nicht öffnen',
  learner: 'In diesem Kanal lernt niemand dieses Namens',
  nothing: 'Hier ist nichts',
  why: 'Vielleicht wurde es entfernt, oder der Link ist unvollständig. Von hier geht es weiter:',
  from_here: 'Von hier geht es weiter:',
  to_channel: 'Kanal: {title}',
  to_episode: 'Folge: {title}',
  to_channels: 'Alle Kanäle',
  to_start: 'Start',
}

const es: Catalogue<LostText>['es'] = {
  forbidden: 'No tiene acceso a esto',
  channel: 'Este canal no existe o no puede abrirlo',
  episode: 'Este episodio no existe o no puede abrirlo',
  homework: 'Esta tarea no existe o no puede abrirla',
  test: 'Esta prueba no existe o no puede abrirla',
  attempt: 'Este intento no existe o no puede abrirlo',
  learner: 'Nadie con este nombre aprende en este canal',
  nothing: 'Aquí no hay nada',
  why: 'Puede que se haya eliminado o que el enlace esté incompleto. Desde aquí puede seguir:',
  from_here: 'Desde aquí puede seguir:',
  to_channel: 'Canal: {title}',
  to_episode: 'Episodio: {title}',
  to_channels: 'Todos los canales',
  to_start: 'Inicio',
}

export const LOST_TEXTS: Catalogue<LostText> = { en, de, es }
