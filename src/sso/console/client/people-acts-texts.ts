import type { Catalogue } from '#foundation/web/client/texts.ts'

/* Acts on several people at once. */

const en = {
  suspend: 'Suspend',
  end_sessions: 'End sessions',
  suspend_title: { one: 'Suspend one person', other: 'Suspend {count} people' },
  suspend_text:
    'They are signed out everywhere, and cannot sign in until somebody makes their account active again.',
  suspend_at: 'They are signed out of {site}, and cannot sign in there until somebody lets them in again.',
  end_sessions_title: { one: 'End the sessions of one person', other: 'End the sessions of {count} people' },
  end_sessions_text: 'They are signed out on all devices, at every site you run, and may sign in again.',
  others: { one: 'and one more', other: 'and {count} more' },
  done: { one: 'Done for one person.', other: 'Done for {count} people.' },
  refused: { one: 'One person was left as they are', other: '{count} people were left as they are' },
  user_shared: 'the account is not yours alone; choose one site above to suspend the membership',
  last_admin: 'nobody else is ADMIN of the site',
  not_found: 'is not at this site, or gone by now',
  oneself: 'this is you',
  field_not_allowed: 'only an ADMIN of the site may do this',
}
export type ActText = keyof typeof en

const de: Catalogue<ActText>['en'] = {
  suspend: 'Sperren',
  end_sessions: 'Sitzungen beenden',
  suspend_title: { one: 'Eine Person sperren', other: '{count} Personen sperren' },
  suspend_text:
    'Sie werden überall abgemeldet und können sich nicht anmelden, bis jemand ihr Konto wieder freigibt.',
  suspend_at:
    'Sie werden von {site} abgemeldet und können sich dort nicht anmelden, bis jemand sie wieder zulässt.',
  end_sessions_title: {
    one: 'Die Sitzungen einer Person beenden',
    other: 'Die Sitzungen von {count} Personen beenden',
  },
  end_sessions_text:
    'Sie werden auf allen Geräten abgemeldet, an jeder Website, die Sie betreiben, und können sich neu anmelden.',
  others: { one: 'und eine weitere', other: 'und {count} weitere' },
  done: { one: 'Für eine Person erledigt.', other: 'Für {count} Personen erledigt.' },
  refused: { one: 'Eine Person blieb, wie sie ist', other: '{count} Personen blieben, wie sie sind' },
  user_shared:
    'das Konto gehört nicht Ihnen allein; wählen Sie oben eine Website, um die Mitgliedschaft zu sperren',
  last_admin: 'niemand sonst ist ADMIN der Website',
  not_found: 'ist nicht an dieser Website oder inzwischen fort',
  oneself: 'das sind Sie selbst',
  field_not_allowed: 'das darf nur ein ADMIN der Website',
}

const es: Catalogue<ActText>['en'] = {
  suspend: 'Suspender',
  end_sessions: 'Cerrar sesiones',
  suspend_title: { one: 'Suspender a una persona', other: 'Suspender a {count} personas' },
  suspend_text: 'Se cierran todas sus sesiones y no pueden entrar hasta que alguien reactive su cuenta.',
  suspend_at: 'Se cierran sus sesiones en {site} y no pueden entrar allí hasta que alguien las readmita.',
  end_sessions_title: {
    one: 'Cerrar las sesiones de una persona',
    other: 'Cerrar las sesiones de {count} personas',
  },
  end_sessions_text:
    'Se cierran sus sesiones en todos los dispositivos y en todos los sitios que usted dirige; pueden volver a entrar.',
  others: { one: 'y una más', other: 'y {count} más' },
  done: { one: 'Hecho para una persona.', other: 'Hecho para {count} personas.' },
  refused: { one: 'Una persona quedó como estaba', other: '{count} personas quedaron como estaban' },
  user_shared: 'la cuenta no es solo suya; elija arriba un sitio para suspender la pertenencia',
  last_admin: 'nadie más es ADMIN del sitio',
  not_found: 'no está en este sitio o ya no existe',
  oneself: 'es usted',
  field_not_allowed: 'solo puede hacerlo un ADMIN del sitio',
}

export const ACT_TEXTS: Catalogue<ActText> = { en, de, es }
