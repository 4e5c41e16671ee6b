import type { Catalogue } from '#foundation/web/client/texts.ts'

/* The last sign-ins of a connection, and why one was refused. */

const en = {
  sign_ins: 'Last sign-ins',
  no_sign_ins: 'Nobody has signed in through it lately.',
  sign_ins_text: 'The newest 50.',
  time: 'Time',
  result: 'Result',
  why: 'Why',
  address: 'Address',
  good: 'signed in',
  factor: 'second factor asked',
  failed: 'refused',
  reason_wrong_acs:
    'The answer was meant for another address. Compare the Assertion Consumer Service at the provider.',
  reason_wrong_audience: 'The answer was made for another service. Compare the Entity ID at the provider.',
  reason_wrong_issuer:
    'The answer names another issuer than the metadata. Take the provider’s metadata anew.',
  reason_not_ours: 'The answer belongs to no sign-in of ours, took too long, or came twice.',
  reason_transient: 'The provider sends a name that changes each time. Choose a persistent Name ID there.',
  reason_too_old: 'A fresh sign-in was asked for, and the provider used an old one.',
  reason_signature:
    'The signature is missing or does not fit. Take the provider’s certificate or metadata anew.',
  reason_clock: 'The answer is not valid at this time. Compare the clocks.',
  reason_encryption: 'The answer could not be decrypted. Take our metadata anew at the provider.',
  reason_no_email: 'The provider sends no e-mail address. Compare the attributes.',
  reason_account_exists:
    'There is an account with this address, and it is not known to be this person’s. Prove the domain.',
  reason_account_suspended: 'The account is suspended.',
  reason_connection_disabled: 'The connection was switched off.',
  reason_refused: 'The provider refused the sign-in itself.',
  reason_other: 'The answer of the provider could not be accepted.',
}
export type SignInText = keyof typeof en

const de: Record<SignInText, string> = {
  sign_ins: 'Letzte Anmeldungen',
  no_sign_ins: 'In letzter Zeit hat sich niemand darüber angemeldet.',
  sign_ins_text: 'Die neuesten 50.',
  time: 'Zeit',
  result: 'Ergebnis',
  why: 'Grund',
  address: 'Adresse',
  good: 'angemeldet',
  factor: 'zweiter Faktor verlangt',
  failed: 'abgelehnt',
  reason_wrong_acs:
    'Die Antwort war für eine andere Adresse bestimmt. Vergleichen Sie den Assertion Consumer Service beim Anbieter.',
  reason_wrong_audience:
    'Die Antwort war für einen anderen Dienst bestimmt. Vergleichen Sie die Entity ID beim Anbieter.',
  reason_wrong_issuer:
    'Die Antwort nennt einen anderen Issuer als die Metadaten. Übernehmen Sie die Metadaten des Anbieters neu.',
  reason_not_ours: 'Die Antwort gehört zu keiner unserer Anmeldungen, kam zu spät oder doppelt.',
  reason_transient:
    'Der Anbieter sendet einen Namen, der jedes Mal wechselt. Wählen Sie dort eine dauerhafte Name ID.',
  reason_too_old: 'Eine frische Anmeldung war verlangt, der Anbieter hat eine alte verwendet.',
  reason_signature:
    'Die Signatur fehlt oder passt nicht. Übernehmen Sie Zertifikat oder Metadaten des Anbieters neu.',
  reason_clock: 'Die Antwort gilt zu dieser Zeit nicht. Vergleichen Sie die Uhren.',
  reason_encryption:
    'Die Antwort ließ sich nicht entschlüsseln. Übernehmen Sie unsere Metadaten beim Anbieter neu.',
  reason_no_email: 'Der Anbieter sendet keine E-Mail-Adresse. Vergleichen Sie die Attribute.',
  reason_account_exists:
    'Zu dieser Adresse gibt es ein Konto, das nicht sicher dieser Person gehört. Bestätigen Sie die Domain.',
  reason_account_suspended: 'Das Konto ist gesperrt.',
  reason_connection_disabled: 'Die Verbindung war ausgeschaltet.',
  reason_refused: 'Der Anbieter selbst hat die Anmeldung abgelehnt.',
  reason_other: 'Die Antwort des Anbieters war nicht annehmbar.',
}

const es: Record<SignInText, string> = {
  sign_ins: 'Últimos accesos',
  no_sign_ins: 'Nadie ha accedido con ella últimamente.',
  sign_ins_text: 'Los 50 más recientes.',
  time: 'Hora',
  result: 'Resultado',
  why: 'Motivo',
  address: 'Dirección',
  good: 'ha accedido',
  factor: 'se pidió segundo factor',
  failed: 'rechazado',
  reason_wrong_acs:
    'La respuesta era para otra dirección. Compare el Assertion Consumer Service en el proveedor.',
  reason_wrong_audience: 'La respuesta era para otro servicio. Compare el Entity ID en el proveedor.',
  reason_wrong_issuer:
    'La respuesta nombra otro emisor que los metadatos. Tome de nuevo los metadatos del proveedor.',
  reason_not_ours: 'La respuesta no es de ningún acceso nuestro, tardó demasiado o llegó dos veces.',
  reason_transient: 'El proveedor envía un nombre que cambia cada vez. Elija allí un Name ID persistente.',
  reason_too_old: 'Se pidió un acceso reciente y el proveedor usó uno antiguo.',
  reason_signature: 'La firma falta o no encaja. Tome de nuevo el certificado o los metadatos del proveedor.',
  reason_clock: 'La respuesta no es válida a esta hora. Compare los relojes.',
  reason_encryption: 'No se pudo descifrar la respuesta. Tome de nuevo nuestros metadatos en el proveedor.',
  reason_no_email: 'El proveedor no envía correo electrónico. Compare los atributos.',
  reason_account_exists:
    'Existe una cuenta con esta dirección y no consta que sea de esta persona. Pruebe el dominio.',
  reason_account_suspended: 'La cuenta está suspendida.',
  reason_connection_disabled: 'La conexión estaba desactivada.',
  reason_refused: 'El propio proveedor rechazó el acceso.',
  reason_other: 'No se pudo aceptar la respuesta del proveedor.',
}

export const SIGN_IN_TEXTS: Catalogue<SignInText> = { en, de, es }
