import type { Caller } from '#foundation/security/session-gate.ts'
import { foldEmail } from '#foundation/text.ts'
import { signInFor, visitorOf } from '../../sign-in/account/visitor.ts'
import { missing, type Refusal } from '../../sign-in/hosted/faults.ts'
import { type Answer, type Visit, withQuery } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { findProof } from '../../people/sessions/fresh-proof.ts'
import { deleteUser } from './delete.ts'
import { erasedPage, erasePage, t } from './pages.ts'
import { requireReturnAddress } from './return-address.ts'

export type EraseQuery = { return_to?: string | undefined }

/** Explains the erasure. Following a link never does more than this. */
export async function getErase(parts: SsoParts, visit: Visit, query: EraseQuery): Promise<Answer> {
  const caller = await visitorOf(parts, visit)
  if (!caller) return signInFor(visit, withQuery('/account/erase', query))
  return eraseForm(parts, visit, caller, await targetOf(parts, visit, caller, query))
}

/** Erases a person who has a fresh proof and typed their address, then redirects to where they came from. */
export async function postErase(
  parts: SsoParts,
  visit: Visit,
  query: EraseQuery,
  confirmation: string | undefined,
): Promise<Answer> {
  const caller = await visitorOf(parts, visit)
  const page = withQuery('/account/erase', query)
  if (!caller) return signInFor(visit, page)
  const target = await targetOf(parts, visit, caller, query)
  const held = await findProof(parts.database, caller)
  if (!held?.is_fresh) return { location: withQuery('/account/confirm', { to: page }) }
  if (confirmation === undefined) return { location: page }
  if (foldEmail(confirmation.trim()) !== foldEmail(caller.email)) {
    const refusal = missing('confirmation', t('not_the_email'))
    return eraseForm(parts, visit, caller, target, refusal)
  }
  await deleteUser(parts, caller, caller.user_id, {}, visit.from)
  const cookies = [visit.clear('access'), visit.clear('refresh')]
  return target === undefined ? { page: erasedPage(), cookies } : { location: target, cookies }
}

const targetOf = async (parts: SsoParts, visit: Visit, caller: Caller, { return_to }: EraseQuery) =>
  return_to === undefined ? undefined : requireReturnAddress(parts, visit, caller, return_to)

async function eraseForm(
  { database }: SsoParts,
  visit: Visit,
  caller: Caller,
  target: string | undefined,
  refusal?: Refusal,
): Promise<Answer> {
  const { email, user_id } = caller
  const held = await findProof(database, caller)
  const sites = await database.fast<{ name: string }[]>`
    select i.name from sso.memberships m join sso.sites i using (site_id)
     where m.user_id = ${user_id} and i.deleted_at is null order by i.name, i.site_id limit ${SHOWN_SITES}`
  const { form_token, cookie } = visit.nextForm()
  return {
    ...refusal,
    page: erasePage({
      action: withQuery('/account/erase', { return_to: target }),
      back:
        target === undefined
          ? { href: '/account', text: t('keep') }
          : { href: target, text: t('keep_and_return', { host: new URL(target).host }) },
      email,
      site_names: sites.map(({ name }) => name),
      is_fresh: held?.is_fresh ?? false,
      form_token,
      faults: refusal?.faults,
    }),
    returns_to: target,
    cookies: [cookie],
  }
}

const SHOWN_SITES = 100
