import { html, nothing, type TemplateResult } from 'lit-html'
import { refusalOf, send } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { texts } from '#foundation/web/client/page.ts'
import { badge, copyButton, facts } from '#foundation/web/client/parts.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Connection, Domain } from './api-types.ts'
import { pathOf } from './enterprise-forms.ts'
import { ENTERPRISE_TEXTS } from './enterprise-texts.ts'

/* The domains of one connection, each with its proof by DNS. */

const t = texts(ENTERPRISE_TEXTS)
const tell = (error: unknown) => toast(refusalOf(error).message)

export function domainSection(
  connection: Connection,
  is_operator: boolean,
  reload: () => Promise<void>,
): TemplateResult {
  const path = `${pathOf(connection)}/domains`
  const pathTo = ({ domain }: Domain) => `${path}/${encodeURIComponent(domain)}`

  async function check(domain: Domain): Promise<void> {
    try {
      await send('POST', `${pathTo(domain)}/verify`, {})
      toast(t('proven'))
      await reload()
    } catch (error) {
      if (refusalOf(error).status === 409) toast(t('not_yet'))
      else tell(error)
    }
  }

  const vouch = (domain: Domain) =>
    openDialog({
      title: t('vouch'),
      content: html`<p>${t('vouch_text')}</p>`,
      submit: t('vouch'),
      isDangerous: true,
      typed: domain.domain,
      async act() {
        await send('POST', `${pathTo(domain)}/verify`, { is_override: true })
        toast(t('proven'))
        await reload()
      },
    })

  const takeAway = (domain: Domain) =>
    openDialog({
      title: t('take_away'),
      content: html`<p dir="auto">${domain.domain}</p>`,
      submit: t('take_away'),
      isDangerous: true,
      typed: domain.domain,
      async act() {
        await send('DELETE', pathTo(domain))
        await reload()
      },
    })

  const add = () =>
    openDialog({
      title: t('add_domain'),
      content: html`<label
        >${t('domain')}
        <input
          name="domain"
          required
          maxlength="253"
          spellcheck="false"
          autocapitalize="none"
          placeholder="school.example.org"
      /></label>`,
      submit: t('add_domain'),
      async act(form) {
        await send('POST', path, { domain: form.get('domain') })
        await reload()
      },
    })

  const STATES = {
    dns: [t('proven_dns'), 'good'],
    operator: [t('proven_operator'), 'good'],
    none: [t('unproven'), 'warn'],
  } as const

  const cardOf = (domain: Domain) => {
    const [text, tone] = STATES[domain.verified_by ?? 'none']
    const isProven = domain.verified_at !== null
    return html`<li class="card low">
      <div class="card-head">
        <h3 dir="auto">${domain.domain}</h3>
        ${badge(text, tone)}
      </div>
      ${
        isProven
          ? nothing
          : facts([
              [t('txt'), html`<span class="mono">${domain.txt_name}</span> ${copyButton(domain.txt_name)}`],
              [
                t('txt_value'),
                html`<span class="mono">${domain.txt_value}</span> ${copyButton(domain.txt_value)}`,
              ],
            ])
      }
      <div class="actions">
        ${
          isProven
            ? nothing
            : html`<button type="button" class="small" @click=${() => check(domain)}>${t('check')}</button> ${
                  is_operator
                    ? html`<button type="button" class="second small" @click=${() => vouch(domain)}>
                        ${t('vouch')}
                      </button>`
                    : nothing
                }`
        }
        <button type="button" class="quiet small" @click=${() => takeAway(domain)}>${t('take_away')}</button>
      </div>
    </li>`
  }

  return html`<section>
    <div class="bar">
      <h2>${t('domains')}</h2>
      <button type="button" class="second small" @click=${add}>${t('add_domain')}</button>
    </div>
    <p>${t('domains_text')}</p>
    ${
      connection.domains.length === 0
        ? html`<p class="empty">${t('no_domains')}</p>`
        : html`<ul class="cards">
            ${connection.domains.map(cardOf)}
          </ul>`
    }
  </section>`
}
