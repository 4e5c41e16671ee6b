import type { Catalogue } from '#foundation/web/client/texts.ts'

const en = {
  certificate: 'Certificate',
  passed: 'You passed this channel',
  get: 'Get the certificate',
  not_yet: 'You need {percent} of all work for the certificate; what is graded so far earned {now}.',
  no_name: 'The certificate needs your name. Add it in {account}, then come back.',
  account: 'your account',
}
type CertificateText = keyof typeof en

const de: Catalogue<CertificateText>['de'] = {
  certificate: 'Zertifikat',
  passed: 'Sie haben diesen Kanal bestanden',
  get: 'Zertifikat holen',
  not_yet:
    'Für das Zertifikat brauchen Sie {percent} aller Aufgaben; was bisher bewertet ist, brachte {now}.',
  no_name: 'Das Zertifikat braucht Ihren Namen. Tragen Sie ihn in {account} ein, und kommen Sie dann zurück.',
  account: 'Ihrem Konto',
}

const es: Catalogue<CertificateText>['es'] = {
  certificate: 'Certificado',
  passed: 'Ha aprobado este canal',
  get: 'Obtener el certificado',
  not_yet:
    'Para el certificado necesita {percent} de todo el trabajo; lo calificado hasta ahora alcanzó {now}.',
  no_name: 'El certificado necesita su nombre. Añádalo en {account} y vuelva.',
  account: 'su cuenta',
}

export const CERTIFICATE_TEXTS: Catalogue<CertificateText> = { en, de, es }
