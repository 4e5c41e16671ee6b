import { html, nothing, type TemplateResult } from 'lit-html'
import { get } from '#foundation/web/client/api.ts'
import { number } from '#foundation/web/client/format.ts'
import { texts } from '#foundation/web/client/page.ts'
import type { ImportQuota } from './api-types.ts'

/* How many new people a tenant may still import today, said before a file is sent. */

const t = texts({
  en: { left: 'Today {left} more people can be new, of {most} each day. An operator can allow more.' },
  de: {
    left: 'Heute können noch {left} Personen neu sein, von {most} am Tag. Ein Betreiber kann mehr erlauben.',
  },
  es: {
    left: 'Hoy pueden ser nuevas {left} personas más, de {most} al día. Un operador puede permitir más.',
  },
})

const quotas = new Map<string, ImportQuota>()
const asked = new Set<string>()

/** Asks once for each tenant. A tenant without a quota, or a refusal, shows nothing. */
export function quotaLine(tenant_id: string, update: () => void): TemplateResult | typeof nothing {
  if (!asked.has(tenant_id)) {
    asked.add(tenant_id)
    get<ImportQuota>(`/api/v1/tenants/${tenant_id}/import-quota`)
      .then((quota) => {
        quotas.set(tenant_id, quota)
        update()
      })
      .catch(() => {})
  }
  const { people_per_day = null, used_today = 0 } = quotas.get(tenant_id) ?? {}
  if (people_per_day === null) return nothing
  const left = number(Math.max(0, people_per_day - used_today))
  return html`<p class="quiet-text">${t('left', { left, most: number(people_per_day) })}</p>`
}

/** An import has used some of it; the old line stays until the new one is here. */
export const askQuotasAgain = (): void => asked.clear()
