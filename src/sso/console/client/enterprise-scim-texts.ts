import type { Catalogue } from '#foundation/web/client/texts.ts'

/* The directory of a connection: SCIM tokens, and what its groups mean. */

const en = {
  directory: 'Directory (SCIM)',
  directory_text:
    'Enter this address and a token at the directory. It then keeps people and groups here: who is deactivated there is suspended here at once.',
  address: 'SCIM address',
  make: 'Make a token',
  make_text: 'The token is shown once. Up to five may work side by side, so that one can follow another.',
  purpose: 'What it is for',
  days: 'Days until it ends',
  days_text: 'Empty: it works until you revoke it.',
  fresh: 'The new token',
  once: 'Copy it now: it is not shown again.',
  tokens: 'Tokens',
  no_tokens: 'No token yet, so no directory keeps this connection.',
  ends_with: 'Ends with',
  made: 'Made',
  used: 'Last used',
  until: 'Ends',
  act: 'Action',
  never: 'never',
  revoke: 'Revoke',
  revoke_title: 'Revoke the token {name}?',
  revoke_text: 'It is refused at once. A directory that still uses it stops keeping people here.',
  revoked: 'The token is revoked.',
  groups: 'Roles of groups',
  groups_text:
    'The first rule that names one of a person’s groups gives the role. Groups in a sign-in follow the same rules.',
  no_rules: 'No rule yet: groups give no role.',
  group: 'Group',
  role: 'Role',
  change: 'Edit the rules',
  rules: 'Rules',
  rules_text: 'One rule a line, group = role. Roles of people who are here already follow within a minute.',
}
export type ScimText = keyof typeof en

const de: Record<ScimText, string> = {
  directory: 'Verzeichnis (SCIM)',
  directory_text:
    'Tragen Sie diese Adresse und ein Token im Verzeichnis ein. Es pflegt dann Personen und Gruppen hier: Wer dort deaktiviert wird, ist hier sofort gesperrt.',
  address: 'SCIM-Adresse',
  make: 'Token erstellen',
  make_text:
    'Das Token wird einmal gezeigt. Bis zu fünf gelten nebeneinander, damit eines das andere ablösen kann.',
  purpose: 'Wofür es ist',
  days: 'Tage bis zum Ablauf',
  days_text: 'Leer: Es gilt, bis Sie es widerrufen.',
  fresh: 'Das neue Token',
  once: 'Kopieren Sie es jetzt: Es wird nicht noch einmal gezeigt.',
  tokens: 'Tokens',
  no_tokens: 'Noch kein Token, also pflegt kein Verzeichnis diese Verbindung.',
  ends_with: 'Endet auf',
  made: 'Erstellt',
  used: 'Zuletzt benutzt',
  until: 'Läuft ab',
  act: 'Aktion',
  never: 'nie',
  revoke: 'Widerrufen',
  revoke_title: 'Das Token {name} widerrufen?',
  revoke_text:
    'Es wird sofort abgewiesen. Ein Verzeichnis, das es noch benutzt, pflegt hier keine Personen mehr.',
  revoked: 'Das Token ist widerrufen.',
  groups: 'Rollen der Gruppen',
  groups_text:
    'Die erste Regel, die eine Gruppe der Person nennt, gibt die Rolle. Für Gruppen aus einer Anmeldung gelten dieselben Regeln.',
  no_rules: 'Noch keine Regel: Gruppen geben keine Rolle.',
  group: 'Gruppe',
  role: 'Rolle',
  change: 'Regeln bearbeiten',
  rules: 'Regeln',
  rules_text:
    'Eine Regel je Zeile, Gruppe = Rolle. Rollen von Personen, die schon hier sind, folgen innerhalb einer Minute.',
}

const es: Record<ScimText, string> = {
  directory: 'Directorio (SCIM)',
  directory_text:
    'Indique esta dirección y un token en el directorio. Este mantendrá aquí personas y grupos: quien se desactive allí queda suspendido aquí de inmediato.',
  address: 'Dirección SCIM',
  make: 'Crear un token',
  make_text: 'El token se muestra una vez. Hasta cinco valen a la vez, para que uno pueda suceder a otro.',
  purpose: 'Para qué sirve',
  days: 'Días hasta que caduca',
  days_text: 'Vacío: vale hasta que lo revoque.',
  fresh: 'El nuevo token',
  once: 'Cópielo ahora: no se vuelve a mostrar.',
  tokens: 'Tokens',
  no_tokens: 'Aún no hay token, así que ningún directorio mantiene esta conexión.',
  ends_with: 'Termina en',
  made: 'Creado',
  used: 'Último uso',
  until: 'Caduca',
  act: 'Acción',
  never: 'nunca',
  revoke: 'Revocar',
  revoke_title: '¿Revocar el token {name}?',
  revoke_text: 'Se rechaza de inmediato. Un directorio que aún lo use deja de mantener personas aquí.',
  revoked: 'El token está revocado.',
  groups: 'Roles de los grupos',
  groups_text:
    'La primera regla que nombra un grupo de la persona da el rol. Los grupos de un acceso siguen las mismas reglas.',
  no_rules: 'Aún no hay reglas: los grupos no dan ningún rol.',
  group: 'Grupo',
  role: 'Rol',
  change: 'Editar las reglas',
  rules: 'Reglas',
  rules_text: 'Una regla por línea, grupo = rol. Los roles de quienes ya están aquí se ajustan en un minuto.',
}

export const SCIM_TEXTS: Catalogue<ScimText> = { en, de, es }
