import { escaped } from '#foundation/web/live-page.ts'
import { type Language, textsIn } from '#foundation/web/client/texts.ts'
import { addressOf } from '../pages/assets.ts'
import type { Certificate } from './certificate.ts'
import { CERTIFICATE_TEXTS } from './texts.ts'

/** In UTC, so that everybody reads the same date. */
export const dayOf = (time: string, language: Language): string =>
  new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'long',
    timeZone: 'UTC',
  }).format(new Date(time))

/** The page that shows a certificate to whoever has its code, and that it is genuine. */
export function certificatePage(certificate: Certificate | undefined, language: Language): string {
  const t = textsIn(CERTIFICATE_TEXTS, language)
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${t(certificate ? 'certificate' : 'unknown')} · Lyceum</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${addressOf('pages/lyceum.css')}">
<link rel="stylesheet" href="${addressOf('pages/certificate.css')}">
<link rel="icon" href="${addressOf('pages/icon.svg')}" type="image/svg+xml">
</head>
<body>
<main id="main" class="certificate-page">
${certificate ? genuine(certificate, language) : unknown(language)}
</main>
</body>
</html>
`
}

function genuine(certificate: Certificate, language: Language): string {
  const t = textsIn(CERTIFICATE_TEXTS, language)
  const { person_name, channel_title, channel_id, issuer, issued_at, code } = certificate
  const by = escaped(t('issued', { issuer: '{issuer}', day: dayOf(issued_at, language) }))
  return `<article class="certificate">
<h1>${t('certificate')}</h1>
<p>${t('certifies')}</p>
<p class="certificate-name" dir="auto">${escaped(person_name)}</p>
<p>${t('passed')}</p>
<p class="certificate-title" dir="auto">${escaped(channel_title)}</p>
<p class="certificate-issued">${by.replace('{issuer}', () => `<bdi>${escaped(issuer)}</bdi>`)}</p>
<p class="certificate-code">${t('code')} <code>${escaped(code)}</code></p>
</article>
<p class="note is-good" role="status">${t('verified')}</p>
<p class="actions"><a class="button" href="/api/certificates/${escaped(code)}/pdf">${t('pdf')}</a> <a href="/channel?id=${channel_id}">${t('channel')}</a></p>`
}

function unknown(language: Language): string {
  const t = textsIn(CERTIFICATE_TEXTS, language)
  return `<h1>${t('unknown')}</h1>
<p role="alert">${t('unknown_text')}</p>
<p><a href="/">${t('home')}</a></p>`
}
