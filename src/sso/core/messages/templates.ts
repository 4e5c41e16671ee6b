import type { Body } from './queue.ts'

/**
 * The text of each message. The only text a third party controls is the site code (a-z 0-9 -); a freely chosen name
 * would let others place their words in our mail.
 */
export const templates = {
  email_verification: ({ site_code, link }: { site_code: string; link: string }): Body => ({
    subject: 'Confirm your e-mail address',
    text: `This address was used to register at ${site_code}.

To confirm that it is yours, open this link within 24 hours:

${link}

If it was not you, ignore this message: without the confirmation nothing happens.`,
  }),

  password_reset: ({ site_code, link }: { site_code: string; link: string }): Body => ({
    subject: 'Choose a new password',
    text: `Somebody asked at ${site_code} for a new password for the account of this address.

To choose one, open this link within 30 minutes:

${link}

The link works once. If it was not you, ignore this message: your password stays as it is.`,
  }),

  invitation: ({ site_code, link }: { site_code: string; link: string }): Body => ({
    subject: 'You are invited',
    text: `An administrator made an account for you at ${site_code}.

To choose your password, open this link within seven days:

${link}

The link works once. If you expect no such invitation, ignore this message.`,
  }),

  email_change: ({ site_code, link }: { site_code: string; link: string }): Body => ({
    subject: 'Confirm your new e-mail address',
    text: `Somebody asked at ${site_code} to make this the e-mail address of their account.

To confirm that it is yours, open this link within 24 hours:

${link}

If it was not you, ignore this message: without the confirmation nothing changes.`,
  }),

  email_change_asked_notice: ({ site_code }: { site_code: string }): Body => ({
    subject: 'A new e-mail address was asked for',
    text: `Somebody asked at ${site_code} to give your account another e-mail address. It changes once the new address is
confirmed; you will get a message here when it has.

If it was not you, choose a new password with "Forgot password" at once: that stops the change.`,
  }),

  email_undo: ({ site_code, link }: { site_code: string; link: string }): Body => ({
    subject: 'Your e-mail address was changed',
    text: `The e-mail address of your account was changed, as was asked for at ${site_code}. From now on we write to the new one.

If it was not you, take your account back with this link within 7 days:

${link}

It restores this address, ends all sessions and sends you a link to choose a new password.`,
  }),

  address_claim: ({ site_code, link }: { site_code: string; link: string }): Body => ({
    subject: 'Use your e-mail address',
    text: `Somebody asked to register this address at ${site_code}. Others made an account with it before, and nobody has
confirmed that it is theirs.

If the address is yours, open this link within an hour and choose a password for an account of your own:

${link}

The link works once. The other account stays with whoever made it, without your address. If you know that account and want
to use it, choose "Forgot password" instead. If you did not register, ignore this message.`,
  }),

  account_handed_over_notice: ({ sites }: { sites: readonly string[] }): Body => ({
    subject: 'An account with your address is now yours',
    text: `Others made an account with this address before, and you have confirmed that the address is yours. The account is
now yours alone: passwords, second factors and sign-ins that others set up are gone.

It is known at these sites: ${sites.join(', ') || 'none'}.

If you want nothing to do with one of them, write to the people who run it, or delete the account.`,
  }),

  sign_up: ({ site_code, link }: { site_code: string; link: string }): Body => ({
    subject: 'Finish your account',
    text: `Somebody asked for an account at ${site_code} with this address.

To choose your password and go on, open this link within 24 hours:

${link}

The link works once. If it was not you, ignore this message: without a password nobody can use the account.`,
  }),

  account_exists_notice: ({ site_code }: { site_code: string }): Body => ({
    subject: 'You have an account already',
    text: `Somebody asked for an account at ${site_code} with this address, which has one already.

If it was you, sign in with your password, or use "Forgot your password?" on the sign-in page to choose a new one.

If it was not you, ignore this message: nothing has changed.`,
  }),

  email_changed_notice: ({ site_code }: { site_code: string }): Body => ({
    subject: 'Your e-mail address was changed',
    text: `The e-mail address of your account was changed at ${site_code}. This is the last message to the old one.

If it was not you, tell the administrators of ${site_code} at once.`,
  }),

  password_changed_notice: ({ site_code }: { site_code: string }): Body => ({
    subject: 'Your password was changed',
    text: `The password of your account was changed at ${site_code}, and your other sessions were ended.

If it was not you, choose a new password with "Forgot password" at once.`,
  }),

  factor_added_notice: ({ site_code }: { site_code: string }): Body => ({
    subject: 'A second factor was added',
    text: `A second factor was added to your account at ${site_code}.

If it was not you, choose a new password with "Forgot password" at once.`,
  }),

  recovery_codes_notice: ({ site_code }: { site_code: string }): Body => ({
    subject: 'New recovery codes were made',
    text: `New recovery codes were made for your account at ${site_code}. The old ones work no more.

If it was not you, choose a new password with "Forgot password" at once.`,
  }),

  new_device_notice: ({ site_code }: { site_code: string }): Body => ({
    subject: 'A sign-in from a new device',
    text: `Somebody signed in to your account at ${site_code} with a browser or program that you have not used lately.

If it was you, there is nothing to do. If it was not, choose a new password with "Forgot password" at once.`,
  }),

  second_factor_failed_notice: ({ site_code }: { site_code: string }): Body => ({
    subject: 'Wrong codes at your sign-in',
    text: `Several wrong codes were entered for your account at ${site_code}. They opened nothing.

If it was not you, somebody may know your password: choose a new one with "Forgot password" at once.`,
  }),

  factor_removed_notice: ({ site_code }: { site_code: string }): Body => ({
    subject: 'A second factor was removed',
    text: `A second factor of your account was removed at ${site_code}.

If it was not you, choose a new password at once and set the second factor up again.`,
  }),

  mfa_code: ({ site_code, code }: { site_code: string; code: string }): Body => ({
    subject: 'Your sign-in code',
    text: `Your code for ${site_code} is

${code}

It works once and for a few minutes. Nobody of ours will ever ask you for it. If you are not signing in, somebody knows
your password: choose a new one.`,
  }),

  /** At most 160 characters, so that it fits one SMS. The subject is shown by GET /messages only. */
  sms_code: ({ site_code, code }: { site_code: string; code: string }): Body => ({
    subject: 'Your sign-in code',
    text: `${code} is your code for ${site_code}. Nobody of ours will ever ask you for it.`,
  }),
}

const LINK = /^https?:\/\/\S+$/

/** The same text as HTML. A paragraph that is a URL becomes a link. */
export function htmlOf(text: string): string {
  const paragraphs = text.split('\n\n').map((paragraph) => {
    const safe = escaped(paragraph)
    return `<p>${LINK.test(paragraph) ? `<a href="${safe}">${safe}</a>` : safe.replaceAll('\n', ' ')}</p>`
  })
  return `<!doctype html><html lang="en"><body>${paragraphs.join('')}</body></html>`
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
