import { Type } from 'typebox'
import { type App, callerOf } from '#foundation/http/http.ts'
import { listSettings } from '#foundation/settings/config.ts'
import type { Language } from '#foundation/web/client/texts.ts'
import { requireOperator } from '../../core/access/operator.ts'
import { LETTER_KINDS, letterIn } from '../../core/messages/templates.ts'
import type { SsoParts } from '../../core/parts.ts'
import { KEPT_DAYS } from '../../events/webhooks/retention.ts'
import { JOB_DAYS } from '../retention/retention.ts'
import { KEPT } from '../retention/sweeps.ts'
import german from './meanings.de.json' with { type: 'json' }
import spanish from './meanings.es.json' with { type: 'json' }

const Text = Type.String()
const Deprecated = { route: Text, since: Text, sunset: Text, link: Text, successor: Type.Optional(Text) }
const Letter = { subject: Text, text: Text }
const Letters = Type.Object(Letter)
const Shown = {
  name: Text,
  value: Text,
  is_secret: Type.Boolean(),
  is_default: Type.Boolean(),
  /** In English. */
  meaning: Text,
  translations: Type.Object({ de: Text, es: Text }),
}
export const Installation = Type.Object({
  settings: Type.Array(Type.Object(Shown)),
  /** Periods of retention; their names end in the unit. */
  kept: Type.Record(Text, Type.Integer()),
  deprecations: Type.Array(Type.Object(Deprecated)),
  /** In English, and as those get them whose profile is in another language. */
  mails: Type.Array(
    Type.Object({ kind: Text, ...Letter, translations: Type.Object({ de: Letters, es: Letters }) }),
  ),
})

/** What the mails of the preview tell. */
const EXAMPLE = { site_code: 'example-school', code: '123456', sites: 'example-school, library' }

/** For operators: how this installation is set up, without secrets. */
export function installationRoutes(app: App, { config, ssoUrl }: SsoParts) {
  app.get(
    '/api/v1/admin/settings',
    {
      config: { auth: 'admin', permission: 'site:manage', operational: true },
      schema: { response: { 200: Installation } },
    },
    async (request) => {
      requireOperator(callerOf(request))
      const example = { ...EXAMPLE, link: `${ssoUrl()}/reset-password#token=example` }
      return {
        settings: listSettings(config).map((one) => ({
          ...one,
          translations: { de: german[one.name], es: spanish[one.name] },
        })),
        kept: { ...KEPT, job_days: JOB_DAYS, webhook_days: KEPT_DAYS },
        deprecations: app.declaredRoutes.flatMap(({ method, url, config: { deprecated } }) =>
          deprecated && !url.startsWith('/v1/') ? { route: `${method} ${url}`, ...deprecated } : [],
        ),
        mails: LETTER_KINDS.map((kind) => {
          const letter = (language: Language) => letterIn(language, kind, example)
          return { kind, ...letter('en'), translations: { de: letter('de'), es: letter('es') } }
        }),
      }
    },
  )
}
