import type { Catalogue } from '#foundation/web/client/texts.ts'

const en = {
  certificate: 'Certificate',
  certifies: 'This certifies that',
  passed: 'has passed the channel',
  issued: 'Issued by {issuer} on {day}',
  verified: 'This certificate is genuine: it was issued here and is in force.',
  unknown: 'This certificate is not valid',
  unknown_text: 'The code was mistyped or altered, or the certificate was withdrawn.',
  pdf: 'Download as PDF',
  channel: 'To the channel',
  home: 'To the start page',
  code: 'Code',
  check: 'Check it at',
}
export type CertificateText = keyof typeof en

const de: typeof en = {
  certificate: 'Zertifikat',
  certifies: 'Hiermit wird bescheinigt:',
  passed: 'hat den Kanal bestanden',
  issued: 'Ausgestellt von {issuer} am {day}',
  verified: 'Dieses Zertifikat ist echt: Es wurde hier ausgestellt und gilt.',
  unknown: 'Dieses Zertifikat ist nicht gültig',
  unknown_text: 'Der Code ist vertippt oder verändert, oder das Zertifikat wurde zurückgezogen.',
  pdf: 'Als PDF herunterladen',
  channel: 'Zum Kanal',
  home: 'Zur Startseite',
  code: 'Code',
  check: 'Prüfen unter',
}

const es: typeof en = {
  certificate: 'Certificado',
  certifies: 'Se certifica que',
  passed: 'ha aprobado el canal',
  issued: 'Emitido por {issuer} el {day}',
  verified: 'Este certificado es auténtico: se emitió aquí y está vigente.',
  unknown: 'Este certificado no es válido',
  unknown_text: 'El código está mal escrito o alterado, o el certificado fue retirado.',
  pdf: 'Descargar en PDF',
  channel: 'Ir al canal',
  home: 'Ir al inicio',
  code: 'Código',
  check: 'Compruébelo en',
}

export const CERTIFICATE_TEXTS: Catalogue<CertificateText> = { en, de, es }
