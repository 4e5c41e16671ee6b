import { Type } from 'typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '#foundation/errors.ts'
import { type App, callerOf } from '#foundation/http/http.ts'
import type { Addressed } from '#foundation/http/public-address.ts'
import { Uuid } from '#foundation/http/schemas.ts'
import type { MasterKeys } from '#foundation/security/secrets.ts'
import { createWorker } from '#foundation/threads/workers.ts'
import { languageOf, textsIn } from '#foundation/web/client/texts.ts'
import type { Learning } from '../learning.ts'
import { Certificate, type CertificateRow } from './certificate.ts'
import { createCodes } from './code.ts'
import { type Issuer, issueCertificate } from './issue.ts'
import { certificatePage, dayOf } from './page.ts'
import type { tasks } from './pdf-worker.ts'
import { readCertificate } from './read.ts'
import { CERTIFICATE_TEXTS } from './texts.ts'

const OfChannel = Type.Object({ id: Uuid })
const OfCode = Type.Object({ code: Type.String({ maxLength: 400 }) })
const anyone = { auth: 'public', operational: true, compress: false } as const
const answers = (type: string, description: string) =>
  ({ 200: { description, content: { [type]: { schema: Type.String() } } } }) as object
/** A sheet takes some 60 ms, in which this thread would answer nobody. */
const LIMITS = { timeMs: 10_000, heapMb: 256, waiting: 50 }

type Parts = {
  identity: Issuer
  keys: Pick<MasterKeys, 'derive'>
  addressOf: (request: Addressed) => string
}

export function certificateRoutes(
  app: App,
  { db, viewerOf }: Learning,
  { identity, keys, addressOf }: Parts,
) {
  const codes = createCodes(keys)
  const worker = createWorker<typeof tasks>(new URL('pdf-worker.ts', import.meta.url), LIMITS)

  function shown({ certificate_id, ...row }: CertificateRow, request: FastifyRequest): Certificate {
    const [base, code] = [addressOf(request), codes.write({ ...row, certificate_id })]
    const url = `${base}/certificate?code=${code}`
    return { ...row, code, url, pdf_url: `${base}/api/certificates/${code}/pdf` }
  }
  async function find(code: string, request: FastifyRequest): Promise<Certificate | undefined> {
    const named = codes.read(code)
    const row = named && (await readCertificate(db.fast, named))
    return row && shown(row, request)
  }

  app.post(
    '/api/channels/:id/certificate',
    {
      config: { auth: 'user', permission: 'learning:use', operational: true },
      schema: { params: OfChannel, response: { 200: Certificate, 201: Certificate } },
    },
    async (request, reply) => {
      const viewer = viewerOf(callerOf(request))
      const { isNew, certificate } = await issueCertificate(db, identity, viewer, request.params.id)
      return reply.code(isNew ? 201 : 200).send(shown(certificate, request))
    },
  )
  app.get(
    '/api/certificates/:code',
    { config: anyone, schema: { params: OfCode, response: { 200: Certificate } } },
    async (request, reply) => {
      const certificate = await find(request.params.code, request)
      if (!certificate) throw notFound()
      return keepPrivate(reply).send(certificate)
    },
  )
  app.get(
    '/api/certificates/:code/pdf',
    {
      config: anyone,
      schema: { params: OfCode, response: answers('application/pdf', 'The certificate as one sheet') },
    },
    async (request, reply) => {
      const certificate = await find(request.params.code, request)
      if (!certificate) throw notFound()
      const bytes = await worker.run('drawCertificate', sheetOf(certificate, languageFor(request)))
      keepPrivate(reply).headers({
        'Content-Type': 'application/pdf',
        'Content-Disposition': 'inline; filename="certificate.pdf"',
      })
      return Buffer.from(bytes) as never
    },
  )
  app.get(
    '/certificate',
    {
      config: anyone,
      schema: {
        hide: true,
        querystring: Type.Object({ code: Type.String({ maxLength: 400, default: '' }) }),
        response: answers('text/html', 'A page for people'),
      },
    },
    async (request, reply) => {
      const certificate = await find(request.query.code, request)
      keepPrivate(reply).headers({
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy':
          "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        Vary: 'Accept-Language',
      })
      if (!certificate) reply.code(404)
      return certificatePage(certificate, languageFor(request)) as never
    },
  )
}

const languageFor = ({ headers }: FastifyRequest) => languageOf(null, headers['accept-language'])

/** The address names a person to whoever has it, so it stays out of caches, indexes and referrers. */
const keepPrivate = (reply: FastifyReply) =>
  reply.headers({
    'Cache-Control': 'private, no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
  })

function sheetOf(
  { person_name, channel_title, issuer, issued_at, url }: Certificate,
  language: ReturnType<typeof languageFor>,
) {
  const t = textsIn(CERTIFICATE_TEXTS, language)
  return {
    language,
    title: t('certificate'),
    certifies: t('certifies'),
    person_name,
    passed: t('passed'),
    channel_title,
    issued: t('issued', { issuer, day: dayOf(issued_at, language) }),
    issuer,
    check: t('check'),
    url,
    issued_at,
  }
}
