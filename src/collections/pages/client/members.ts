import { html, nothing, type TemplateResult } from 'lit-html'
import { fault, get, refusalOf, send } from '#foundation/web/client/api.ts'
import { openDialog } from '#foundation/web/client/dialog.ts'
import { ago } from '#foundation/web/client/format.ts'
import { takeFirst, texts } from '#foundation/web/client/page.ts'
import { badge } from '#foundation/web/client/parts.ts'
import { toast } from '#foundation/web/client/toast.ts'
import { createTable } from '#foundation/web/client/table.ts'
import { personOf } from './acts.ts'
import { search } from './address.ts'
import type { Collection, Me, Member, Role } from './api-types.ts'
import { textIn } from './filters.ts'
import { collectionPath, membersOf } from './first-calls.ts'
import { TEXTS } from './texts.ts'

const t = texts(TEXTS)
/** Who may invite here, besides admins. */
const inviters = takeFirst('inviters')
const ROLES: readonly Role[] = ['viewer', 'editor', 'admin']
export const roleName = (role: Role): string => t(`role_${role}`)

type Members = {
  collection: () => Collection | undefined
  me: Me
  nameOf: (collection_id: string) => string | undefined
  /** The person has left, or rights have changed. */
  changed: (hasLeft: boolean) => void
  update: () => void
}
type Invitee = Pick<Member, 'user_id' | 'display_name'> & { email_verified: boolean }

/** Who sees a collection, as what, and where they have it from. */
export function createMembers({ collection, me, nameOf, changed, update }: Members) {
  const id = () => search().get('collection') ?? ''
  const name = () => collection()?.name ?? ''
  const isAdmin = () => me.is_site_admin || collection()?.my_role === 'admin'
  const pathTo = (user_id: string) => `${collectionPath(id())}/members/${user_id}`

  const table = createTable<Member>({
    label: t('share'),
    path: (cursor) => membersOf(id(), cursor),
    empty: t('nothing'),
    keyOf: ({ user_id }) => user_id,
    update,
    columns: [
      { title: t('person'), cell: person },
      { title: t('role'), cell: role },
      { title: t('from'), cell: from },
      { title: t('since'), cell: ({ joined_at }) => ago(joined_at) },
      { title: t('actions'), cell: acts },
    ],
  })

  function person(member: Member): TemplateResult {
    const { display_name, email } = member
    return html`${personOf(member)}${display_name && email ? html` <small class="quiet-text">${email}</small>` : nothing}`
  }

  function role(member: Member): TemplateResult {
    if (!isAdmin() || member.direct_role === null) return badge(roleName(member.role), 'none')
    return html`<select
      aria-label=${t('change_role', { name: personOf(member) })}
      @change=${(event: Event) => void change(member, event.target as HTMLSelectElement)}
    >
      ${ROLES.map((one) => html`<option value=${one} ?selected=${one === member.direct_role}>${roleName(one)}</option>`)}
    </select>`
  }

  function from({ source, source_collection_id }: Member): string {
    if (source === 'direct') return t('direct')
    const above = source_collection_id && nameOf(source_collection_id)
    return above ? t('inherited', { name: above }) : t('inherited_hidden')
  }

  function acts(member: Member): TemplateResult {
    if (member.direct_role === null) return html``
    if (member.user_id === me.user_id)
      return html`<button type="button" class="second small" @click=${leave}>${t('leave')}</button>`
    if (!isAdmin()) return html``
    return html`<button type="button" class="second small" @click=${() => remove(member)}>
      ${t('remove_member')}
    </button>`
  }

  async function change({ user_id, direct_role }: Member, select: HTMLSelectElement): Promise<void> {
    try {
      await send('PATCH', pathTo(user_id), { role: select.value })
      toast(t('role_changed'))
      if (user_id === me.user_id) changed(false)
    } catch (error) {
      select.value = direct_role ?? ''
      toast(refusalOf(error).message)
    }
    await table.load()
  }

  function remove(member: Member): void {
    openDialog({
      title: t('remove_title', { name: personOf(member) }),
      submit: t('remove_member'),
      isDangerous: true,
      content: html`<p>${t('remove_text', { name: name() })}</p>`,
      async act() {
        await send('DELETE', pathTo(member.user_id))
        await table.load()
      },
    })
  }

  function leave(): void {
    openDialog({
      title: t('leave_title', { name: name() }),
      submit: t('leave'),
      isDangerous: true,
      content: html`<p>${t('leave_text')}</p>`,
      async act() {
        await send('POST', `${collectionPath(id())}/leave`)
        toast(t('left', { name: name() }))
        changed(true)
      },
    })
  }

  function invite(): void {
    /** Whose address is not proven: asked about once. */
    let asked = ''
    const own = collection()?.my_role
    const mine = me.is_site_admin ? ROLES : ROLES.slice(0, ROLES.indexOf(own ?? 'viewer') + 1)
    openDialog({
      title: t('invite'),
      submit: t('invite'),
      draft: `invite.${id()}`,
      content: html`<label
          >${t('invite_name')}
          <input name="name" dir="auto" required maxlength="320" autocomplete="off" spellcheck="false"
        /></label>
        <label
          >${t('role')}
          <select name="role">
            ${mine.map((one) => html`<option value=${one}>${roleName(one)}</option>`)}
          </select></label
        >`,
      async act(form) {
        const name = textIn(form, 'name')
        const query = new URLSearchParams({ name })
        const { items } = await get<{ items: Invitee[] }>(
          `${collectionPath(id())}/invitees?${query.toString()}`,
        )
        const [found] = items
        if (!found) throw fault(t('invite_none'), 'name')
        const isSure = !name.includes('@') || found.email_verified || asked === found.user_id
        asked = found.user_id
        if (!isSure) throw fault(t('invite_unproven'), 'name')
        await send('POST', `${collectionPath(id())}/members`, {
          user_id: found.user_id,
          role: textIn(form, 'role'),
        })
        toast(t('invited', { name: found.display_name ?? name }))
        await table.load()
        changed(false)
      },
    })
  }

  const mayInvite = () => isAdmin() || (inviters === 'editor' && collection()?.my_role === 'editor')
  const view = () =>
    html`<div class="bar middle">
        <span class="quiet-text">${t('members', { count: collection()?.member_count ?? 0 })}</span>
        ${mayInvite() ? html`<button type="button" class="small" @click=${invite}>${t('invite')}</button>` : nothing}
      </div>
      ${table.view()}`

  return { view, load: () => table.load() }
}
