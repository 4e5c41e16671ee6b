import { html } from 'lit-html'
import { get, send } from '#foundation/web/client/api.ts'
import { saveEdit } from '#foundation/web/client/conflict.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { texts } from '#foundation/web/client/page.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { Membership, OwnSite, Standing, User } from './api-types.ts'
import { OWN_SITES, personOf } from './first-calls.ts'
import { ROLES } from './people-texts.ts'
import { PERSON_TEXTS } from './person-texts.ts'

/* What may be done for a person. Each act asks first, in a dialog that says what will happen. */

const t = texts(PERSON_TEXTS)
const PROFILE = [
  'email',
  'display_name',
  'given_name',
  'family_name',
  'username',
  'phone',
  'locale',
  'time_zone',
  'avatar_url',
] as const

export type Scene = {
  user: User
  standing: Standing
  /** The act has happened: reads everything again. */
  done: (text?: string) => Promise<void>
}

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

export function editProfile({ user, done }: Scene): void {
  const path = personOf(user.user_id)
  openDialog({
    title: t('edit'),
    content: html`<div class="fields">
      ${PROFILE.map(
        (name) =>
          html`<label
            >${t(name)}
            <input name=${name} value=${user[name] ?? ''} dir="auto" autocomplete="off" spellcheck="false"
          /></label>`,
      )}
    </div>`,
    submit: t('save'),
    isWide: true,
    draft: `person.${user.user_id}`,
    async act(form) {
      const yours = Object.fromEntries(PROFILE.map((name) => [name, textOf(form, name) || null]))
      const saved = await saveEdit<User>({
        was: user,
        yours,
        names: {
          ...Object.fromEntries(PROFILE.map((name) => [name, t(name)])),
          status: t('state'),
        },
        read: () => get<User>(path),
        save: (changes, version) => send<User>('PATCH', path, changes, version),
      })
      if (!saved) return false
      return done(t('saved'))
    },
  })
}

export function setStatus({ user, done }: Scene): void {
  const act = user.status === 'active' ? 'suspend' : 'reactivate'
  const status = user.status === 'active' ? 'suspended' : 'active'
  openDialog({
    title: t(act),
    content: html`<p>${t(`${act}_text`)}</p>`,
    submit: t(act),
    ...(act === 'suspend' && { isDangerous: true, typed: user.email }),
    async act() {
      await send('PATCH', personOf(user.user_id), { status }, user.version)
      await done(t('saved'))
    },
  })
}

const roleChoice = (value: string) =>
  html`<label
    >${t('role')}
    <select name="role">
      ${[...new Set([...ROLES, value])].map((one) => html`<option ?selected=${one === value}>${one}</option>`)}
    </select></label
  >`

export async function addToSite({ user, standing, done }: Scene): Promise<void> {
  const { items } = await get<{ items: OwnSite[] }>(OWN_SITES)
  const known = new Set(standing.memberships.map(({ site_code }) => site_code))
  const others = items.filter(({ site_code }) => !known.has(site_code))
  openDialog({
    title: t('add_site'),
    content: html`<label
        >${t('site')}
        <select name="site_code" required>
          ${others.map(({ site_code, name }) => html`<option value=${site_code}>${name}</option>`)}
        </select></label
      >
      ${roleChoice('USER')}`,
    submit: t('add'),
    async act(form) {
      await assign(user.user_id, textOf(form, 'role'), textOf(form, 'site_code'))
      await done(t('saved'))
    },
  })
}

const assign = (user_id: string, role: string, site_code: string) =>
  send('POST', `${personOf(user_id)}/roles`, { role, site_code })

/** Role, id and status at one site; only what was changed is sent. */
export function changeMembership({ user, done }: Scene, one: Membership): void {
  /** A second try after the other half was refused does not give the role again. */
  let given = one.role
  openDialog({
    title: t('at_site', { site: one.name }),
    content: html`${roleChoice(one.role)}
      <label
        >${t('external_id')}
        <input
          name="external_id"
          value=${one.external_id ?? ''}
          dir="auto"
          spellcheck="false"
          autocomplete="off"
      /></label>
      <label
        >${t('state')}
        <select name="member_status">
          ${(['active', 'suspended'] as const).map((status) => html`<option value=${status} ?selected=${status === one.status}>${t(status)}</option>`)}
        </select></label
      >
      <p class="quiet-text">${t('suspended_here_text')}</p>`,
    submit: t('save'),
    async act(form) {
      const [role, external_id] = [textOf(form, 'role'), textOf(form, 'external_id') || null]
      const member_status = textOf(form, 'member_status')
      const changes = {
        ...(external_id !== one.external_id && { external_id }),
        ...(member_status !== one.status && { member_status }),
      }
      const at = new URLSearchParams({ site_code: one.site_code }).toString()
      if (role !== given) await assign(user.user_id, role, one.site_code)
      given = role
      if (Object.keys(changes).length > 0)
        await send('PATCH', `${personOf(user.user_id)}?${at}`, changes, user.version)
      await done(t('saved'))
    },
  })
}

export function withdrawRole({ user, done }: Scene, { role, name, site_code }: Membership): void {
  openDialog({
    title: t('withdraw'),
    content: html`<p>${t('withdraw_text', { role, site: name })}</p>`,
    submit: t('withdraw'),
    isDangerous: true,
    async act() {
      const at = new URLSearchParams({ site_code }).toString()
      await send('DELETE', `${personOf(user.user_id)}/roles/${encodeURIComponent(role)}?${at}`)
      await done(t('saved'))
    },
  })
}

/** Asks for a fresh proof of whoever does it: a token alone must not take away a factor. */
export function resetFactors({ user, done }: Scene): void {
  openDialog({
    title: t('reset'),
    content: html`<p>${t('factors_text')}</p>
      <label
        >${t('password')} <input name="password" type="password" autocomplete="current-password"
      /></label>
      <p class="quiet-text">
        ${t('password_text')}
        <a href="/account/confirm" target="_blank" rel="noopener">${t('confirm_page')}</a>
      </p>`,
    submit: t('reset'),
    isDangerous: true,
    typed: user.email,
    async act(form) {
      const password = form.get('password')
      await send('DELETE', `${personOf(user.user_id)}/mfa`, password ? { password } : {})
      await done(t('reset_done'))
    },
  })
}

export function endSession({ done }: Scene, session_id: string, site: string): void {
  openDialog({
    title: t('end_session', { site }),
    content: html`<p>${t('end_session_text')}</p>`,
    submit: t('end'),
    async act() {
      await send('DELETE', `/api/v1/sessions/${session_id}`)
      await done(t('ended'))
    },
  })
}

export function endSessions({ user, done }: Scene): void {
  openDialog({
    title: t('end_all'),
    content: html`<p>${t('end_all_text')}</p>`,
    submit: t('end_all'),
    isDangerous: true,
    async act() {
      await send('DELETE', `${personOf(user.user_id)}/sessions`)
      await done(t('all_ended'))
    },
  })
}

/** The service checks the typed address too. */
export function erase({ user, standing }: Scene): void {
  openDialog({
    title: t('erase'),
    content: html`<p>${t(standing.is_exclusive ? 'erase_text' : 'erase_shared')}</p>`,
    submit: t('erase'),
    isDangerous: true,
    typed: user.email,
    async act(form) {
      await send('DELETE', personOf(user.user_id), { confirmation: textOf(form, 'typed') })
      toast(t('erased', { email: user.email }))
      location.replace('/console/people')
    },
  })
}
