import type { Tx } from '#foundation/database/database.ts'
import type { Site } from '#foundation/security/session-gate.ts'
import type { SsoParts } from '../../core/parts.ts'
import { issueOneTimeToken } from './one-time-tokens.ts'
import { queueMessage } from '../../core/messages/queue.ts'
import { type LetterKind, letterTo } from '../../core/messages/templates.ts'

type Parts = Pick<SsoParts, 'keys' | 'ssoUrl'>
export type Addressee = { user_id: string; email: string }
/** The site on whose behalf the mail is sent; its environment is the person's. */
export type Sender = Pick<Site, 'site_code' | 'environment'> & { site_id: string | null }

const HOUR = 3_600

/**
 * Queues a link that proves the address, valid for 24 hours. Like all mail here, it is queued in the caller's
 * transaction.
 */
export const queueVerification = (tx: Tx, parts: Parts, letter: { user: Addressee; site: Sender }) =>
  queueLink(tx, parts, letter, {
    kind: 'email_verification',
    page: '/verify-email',
    seconds: 24 * HOUR,
  })

/** Queues a password reset link, valid for 30 minutes. */
export const queuePasswordReset = (tx: Tx, parts: Parts, letter: { user: Addressee; site: Sender }) =>
  queueLink(tx, parts, letter, { kind: 'password_reset', page: '/reset-password', seconds: HOUR / 2 })

/** Queues a link to choose the first password of an account that somebody else created, valid for seven days. */
export const queueInvitation = (tx: Tx, parts: Parts, letter: { user: Addressee; site: Sender }) =>
  queueLink(tx, parts, letter, { kind: 'invitation', page: '/reset-password', seconds: 7 * 24 * HOUR })

/** Queues a link to choose the password of a new account on an address that others used before, valid for one hour. */
export const queueAddressClaim = (tx: Tx, parts: Parts, letter: { user: Addressee; site: Sender }) =>
  queueLink(tx, parts, letter, { kind: 'address_claim', page: '/reset-password', seconds: HOUR })

/**
 * Queues a link to choose the first password after a sign-up on our pages, valid for 24 hours. `query`: parameters of
 * the sign-in to continue.
 */
export const queueSignUp = (tx: Tx, parts: Parts, letter: { user: Addressee; site: Sender }, query: string) =>
  queueLink(tx, parts, letter, {
    kind: 'sign_up',
    page: `/sign-up/password${query.length > MAX_QUERY ? '' : query}`,
    seconds: 24 * HOUR,
  })

/** Some mail programs break longer links. Without the query the link leads to our own site. */
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

/**
 * Warns the person of a change they may not have made, naming the `sites` that know them. For an e-mail change, pass
 * the old address.
 */
export async function queueNotice(
  tx: Tx,
  parts: Pick<SsoParts, 'keys'>,
  kind: NoticeKind,
  { user, site }: { user: Addressee; site: Sender },
  sites: readonly string[] = [],
): Promise<string> {
  return queueMail(tx, parts, kind, { user, site }, { sites: sites.join(', ') || '-' })
}

type Link = {
  kind: 'email_verification' | 'password_reset' | 'invitation' | 'sign_up' | 'address_claim'
  page: string
  seconds: number
}

/** Letters whose words need nothing but a person and a site, so that they can be written anew. */
export const REPEATABLE: Record<string, (tx: Tx, parts: Parts, letter: Letter) => Promise<string>> = {
  email_verification: queueVerification,
  password_reset: queuePasswordReset,
  invitation: queueInvitation,
  ...Object.fromEntries(
    (
      [
        'password_changed_notice',
        'factor_added_notice',
        'factor_removed_notice',
        'recovery_codes_notice',
      ] as const
    ).map((kind) => [kind, (tx: Tx, parts: Parts, letter: Letter) => queueNotice(tx, parts, kind, letter)]),
  ),
}
type Letter = { user: Addressee; site: Sender }

const PURPOSES = {
  email_verification: 'email_verification',
  password_reset: 'password_reset',
  invitation: 'invitation',
  sign_up: 'invitation',
  address_claim: 'address_claim',
} as const

/** The token goes into the URL fragment, which browsers send neither to a server nor in Referer; the page posts it. */
async function queueLink(
  tx: Tx,
  parts: Parts,
  { user, site }: { user: Addressee; site: Sender },
  { kind, page, seconds }: Link,
): Promise<string> {
  const { user_id } = user
  const token = await issueOneTimeToken(tx, {
    user_id,
    site_id: site.site_id,
    purpose: PURPOSES[kind],
    seconds,
  })
  const link = `${parts.ssoUrl()}${page}#token=${token}`
  return queueMail(tx, parts, kind, { user, site }, { link })
}

/** Queues a mail with a link whose token is stored elsewhere. */
export async function queueLetter(
  tx: Tx,
  parts: Pick<SsoParts, 'keys'>,
  kind: 'email_change' | 'email_undo',
  { user, site, link }: { user: Addressee; site: Sender; link: string },
): Promise<void> {
  await queueMail(tx, parts, kind, { user, site }, { link })
}

async function queueMail(
  tx: Tx,
  parts: Pick<SsoParts, 'keys'>,
  kind: Exclude<LetterKind, 'sms_code'>,
  { user, site: { environment, site_id, site_code } }: { user: Addressee; site: Sender },
  values: { link: string } | { sites: string },
): Promise<string> {
  return queueMessage(tx, parts, {
    environment,
    site_id,
    user_id: user.user_id,
    channel: 'email',
    kind,
    recipient: user.email,
    ...(await letterTo(tx, user.user_id, kind, { site_code, ...values })),
  })
}
