import { type Html, html } from '../core/pages/html.ts'
import { form } from '../core/pages/layout.ts'
import type { User } from '../people/person/users.ts'
import { choice, consolePage, fact, filters, more, siteFilter, table, timeOf, typed } from './shell.ts'
import type { Visitor } from './visitor-routes.ts'

type PeoplePage = Visitor & {
  asked: { q?: string | undefined; status?: string | undefined; site_code?: string | undefined }
  /** Those to choose from; an operator names one. */
  sites: readonly { site_code: string; name: string }[]
  items: readonly User[]
  total: number
  next_cursor: string | null
}

export const peoplePage = ({ is_operator, asked, sites, items, total, next_cursor }: PeoplePage) =>
  consolePage({
    title: 'People',
    place: 'people',
    is_operator,
    main: html`${filters('/console/people', [
        typed('q', 'Name, address or user name', asked.q),
        siteFilter(sites, asked.site_code),
        choice('status', 'Status', asked.status, [
          { value: '', text: 'Any' },
          { value: 'active', text: 'Active' },
          { value: 'suspended', text: 'Suspended' },
        ]),
      ])}
      <p class="lead">${total === 1 ? 'One person' : `${total} people`}</p>
      ${
        items.length > 0 &&
        table(
          'People',
          ['Name', 'E-mail', 'Status', 'Roles', 'Second step', 'Last sign-in'],
          items.map((user) => [
            html`<a href="/console/people/${user.user_id}">${user.display_name ?? user.email}</a>`,
            html`${user.email}`,
            statusMark(user),
            html`${rolesOf(user)}`,
            html`${user.mfa_enabled ? user.mfa_methods.join(', ') : 'none'}`,
            timeOf(user.last_login_at),
          ]),
        )
      }
      ${more('/console/people', asked, next_cursor)}`,
  })

export const erasedPage = ({ is_operator }: Visitor, email: string) =>
  consolePage({
    title: 'Done',
    place: 'people',
    is_operator,
    main: html`<p class="lead">
      ${email} is gone: the account is erased, or, where other sites know the person, its memberships at your
      sites. <a href="/console/people">Back to the people</a>
    </p>`,
  })

type PersonPage = Visitor & { user: User; is_self: boolean }

export const personPage = ({ is_operator, notice, faults, form_token, user, is_self }: PersonPage) =>
  consolePage({
    title: user.display_name ?? user.email,
    place: 'people',
    is_operator,
    trail: [{ href: '/console/people', text: 'People' }],
    notice,
    faults,
    main: html`<dl class="facts">
        ${fact('E-mail', html`${user.email} ${!user.email_verified && html`<span class="mark warn">not confirmed</span>`}`)}
        ${user.username !== null && fact('User name', user.username)} ${fact('Status', statusMark(user))}
        ${fact('Roles', rolesOf(user))}
        ${fact('Second step', user.mfa_enabled ? user.mfa_methods.join(', ') : 'none')}
        ${user.external_id !== null && fact('Your id', user.external_id)} ${fact('Id', user.user_id)}
        ${fact('Last sign-in', timeOf(user.last_login_at))} ${fact('Since', timeOf(user.created_at))}
      </dl>
      <p><a href="/console/audit?subject=${user.user_id}">What happened with this account</a></p>
      ${is_self ? html`<p class="lead"><a href="/account">Your own account</a> is changed on its own pages.</p>` : actsOf(user, form_token, is_operator)}`,
  })

function actsOf(user: User, form_token: string, is_operator: boolean): Html {
  const act = (title: string, words: string, name: string, button: string, fields: Html | false = false) =>
    html`<section aria-labelledby="act-${name}">
      <h2 id="act-${name}">${title}</h2>
      <p class="hint">${words}</p>
      ${form(
        `/console/people/${user.user_id}`,
        form_token,
        html`<input type="hidden" name="act" value="${name}" />
          <input type="hidden" name="version" value="${user.version}" />
          ${fields}
          <button type="submit" class="${name === 'erase' ? 'danger' : 'second'}">${button}</button>`,
      )}
    </section>`
  return html`
    ${act('Role', 'The role at one of your sites; the person becomes a member there.', 'role', 'Assign the role', html`${typed('site_code', 'Code of the site', user.roles[0]?.site_code)} ${typed('role', 'Role', user.roles[0]?.role)}`)}
    ${act('Sessions', 'Signs the person out at all of your sites.', 'sessions', 'End all sessions')}
    ${user.mfa_enabled && act('Second step', 'For somebody who lost phone and recovery codes. Be sure that it is they who ask.', 'factors', 'Remove the second steps')}
    ${
      user.status === 'active'
        ? act(
            'Suspend',
            'The person cannot sign in until you take it back.',
            'suspend',
            'Suspend the account',
          )
        : act('Suspended', 'The person cannot sign in.', 'reactivate', 'Make the account active again')
    }
    ${act('Erase', `Deletes the person for good${is_operator ? ', everywhere' : '. Where other sites know the person, only what belongs to yours'}. This cannot be undone.`, 'erase', 'Erase', typed('confirmation', `Type ${user.email}`, undefined))}
  `
}

const statusMark = ({ status, member_status }: User): Html =>
  status === 'suspended' || member_status === 'suspended'
    ? html`<span class="mark warn">suspended</span>`
    : html`<span class="mark">active</span>`

const rolesOf = ({ roles }: User): string =>
  roles.length === 0 ? 'none' : roles.map(({ site_code, role }) => `${role} at ${site_code}`).join(', ')
