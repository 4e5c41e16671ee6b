import type { Tx } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import type { SsoParts } from '../../core/parts.ts'
import { issueOneTimeToken } from './one-time-tokens.ts'
import { queueMessage } from '../../core/messages/queue.ts'
import { templates } from '../../core/messages/templates.ts'

type Parts = Pick<SsoParts, 'keys' | 'ssoUrl'>
export type Addressee = { user_id: string; email: string }
/** The site that causes the letter; its environment is that of the person. */
export type Sender = Pick<Site, 'site_code' | 'environment'> & { site_id: string | null }

const HOUR = 3_600

/** A link that proves the address, good for 24 hours. In the caller's transaction, as all letters. */
export const queueVerification = (tx: Tx, parts: Parts, letter: { user: Addressee; site: Sender }) =>
  queueLink(tx, parts, letter, {
    kind: 'email_verification',
    page: '/verify-email',
    seconds: 24 * HOUR,
  })

/** A link to choose a new password, good for 30 minutes. */
export const queuePasswordReset = (tx: Tx, parts: Parts, letter: { user: Addressee; site: Sender }) =>
  queueLink(tx, parts, letter, { kind: 'password_reset', page: '/reset-password', seconds: HOUR / 2 })

/** A link to choose the first password of an account that somebody else made, good for seven days. */
export const queueInvitation = (tx: Tx, parts: Parts, letter: { user: Addressee; site: Sender }) =>
  queueLink(tx, parts, letter, { kind: 'invitation', page: '/reset-password', seconds: 7 * 24 * HOUR })

/** A link to choose the password of a new account, for an address that others used before; good for an hour. */
export const queueAddressClaim = (tx: Tx, parts: Parts, letter: { user: Addressee; site: Sender }) =>
  queueLink(tx, parts, letter, { kind: 'address_claim', page: '/reset-password', seconds: HOUR })

/** A link to choose the first password of an account that was asked for on our pages. `query`: where it leads on to. */
export const queueSignUp = (tx: Tx, parts: Parts, letter: { user: Addressee; site: Sender }, query: string) =>
  queueLink(tx, parts, letter, {
    kind: 'sign_up',
    page: `/sign-up/password${query.length > MAX_QUERY ? '' : query}`,
    seconds: 24 * HOUR,
  })

/** A longer link does not survive every mail program; without its query it leads to our own site. */
const MAX_QUERY = 1_500

export type NoticeKind =
  | 'account_exists_notice'
  | 'email_change_asked_notice'
  | 'email_changed_notice'
  | 'password_changed_notice'
  | 'factor_added_notice'
  | 'factor_removed_notice'
  | 'recovery_codes_notice'
  | 'new_device_notice'
  | 'second_factor_failed_notice'
  | 'account_handed_over_notice'

/** Tells the person of a change they may not have made, and `sites` that know them. An e-mail change is told to the address it was. */
export async function queueNotice(
  tx: Tx,
  parts: Pick<SsoParts, 'keys'>,
  kind: NoticeKind,
  { user, site }: { user: Addressee; site: Sender },
  sites: readonly string[] = [],
): Promise<void> {
  await queueMail(tx, parts, kind, { user, site }, templates[kind]({ site_code: site.site_code, sites }))
}

type Link = {
  kind: 'email_verification' | 'password_reset' | 'invitation' | 'sign_up' | 'address_claim'
  page: string
  seconds: number
}

const PURPOSES = {
  email_verification: 'email_verification',
  password_reset: 'password_reset',
  invitation: 'invitation',
  sign_up: 'invitation',
  address_claim: 'address_claim',
} as const

/** The token stands in the fragment: browsers send it to no server and in no Referer, the page posts it. */
async function queueLink(
  tx: Tx,
  parts: Parts,
  { user, site }: { user: Addressee; site: Sender },
  { kind, page, seconds }: Link,
): Promise<void> {
  const { user_id } = user
  const token = await issueOneTimeToken(tx, {
    user_id,
    site_id: site.site_id,
    purpose: PURPOSES[kind],
    seconds,
  })
  const link = `${parts.ssoUrl()}${page}#token=${token}`
  await queueMail(tx, parts, kind, { user, site }, templates[kind]({ site_code: site.site_code, link }))
}

/** A message with a link whose token is kept elsewhere. */
export async function queueLetter(
  tx: Tx,
  parts: Pick<SsoParts, 'keys'>,
  kind: 'email_change' | 'email_undo',
  { user, site, link }: { user: Addressee; site: Sender; link: string },
): Promise<void> {
  await queueMail(tx, parts, kind, { user, site }, templates[kind]({ site_code: site.site_code, link }))
}

/** One e-mail in the outbox. */
async function queueMail(
  tx: Tx,
  parts: Pick<SsoParts, 'keys'>,
  kind: Parameters<typeof queueMessage>[2]['kind'],
  { user, site: { environment, site_id } }: { user: Addressee; site: Sender },
  words: { subject: string; text: string },
): Promise<void> {
  await queueMessage(tx, parts, {
    environment,
    site_id,
    user_id: user.user_id,
    channel: 'email',
    kind,
    recipient: user.email,
    ...words,
  })
}
