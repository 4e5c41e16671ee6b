import { Type } from 'typebox'
import type { Database } from '#foundation/database/database.ts'
import type { FieldError } from '#foundation/errors.ts'
import { judgePassword } from '#foundation/security/password-judge.ts'
import { foldEmail } from '#foundation/text.ts'

const [LEAST, MOST] = [8, 128]

/** 8 to 128 characters, no composition rules. Only how a letter is composed makes no difference (passwords.ts). */
export const PasswordBody = Type.String({ minLength: LEAST, maxLength: MOST })

/**
 * The future owner of the password: `user_id` for an existing account, `names` for names given in the same request.
 */
export type PasswordOwner = {
  email: string
  site_id: string | null
  user_id?: string
  names?: readonly (string | undefined)[]
}

/**
 * Refuses a password that is common, close to a common one, or made of public facts about its owner: those are guessed
 * first.
 */
export async function passwordFaults(
  database: Database,
  password: string,
  owner: PasswordOwner,
): Promise<FieldError[]> {
  const fault = (code: string, message: string) => [{ field: 'password', code, message }]
  if (foldEmail(password) === foldEmail(owner.email))
    return fault('password_is_email', 'must not be the e-mail address')
  const verdict = await judgePassword(password, await wordsOf(database, owner))
  if (verdict === 'common')
    return fault('password_too_common', 'is one of the most common passwords, or close to one')
  if (verdict === 'personal')
    return fault('password_is_personal', 'must not be a name or address of yours, or the name of the site')
  return []
}

/** The same for an unvalidated body; a password of the wrong length is left to the schema. */
export async function passwordFaultsIn(
  database: Database,
  body: unknown,
  site_id: string | null,
): Promise<FieldError[]> {
  const { password, email, ...rest } = (body ?? {}) as Record<string, unknown>
  if (typeof password !== 'string') return []
  const length = Array.from(password).length
  if (length < LEAST || length > MOST) return []
  const names = NAMES.map((name) => rest[name]).filter((name) => typeof name === 'string')
  return passwordFaults(database, password, { email: typeof email === 'string' ? email : '', site_id, names })
}

const NAMES = ['display_name', 'given_name', 'family_name', 'username'] as const
export const namesOf = (profile: Partial<Record<(typeof NAMES)[number], string | undefined>>) =>
  NAMES.map((name) => profile[name])

async function wordsOf({ fast }: Database, { email, site_id, user_id, names = [] }: PasswordOwner) {
  const rows = await fast<{ word: string | null }[]>`
    select unnest(array[site_code, name, domain]) as word from sso.sites where site_id = ${site_id}
    union all
    select unnest(array[display_name, given_name, family_name, username]) from sso.users
     where user_id = ${user_id ?? null}`
  const known = [...names, ...rows.map(({ word }) => word)]
  return [email, email.slice(0, email.lastIndexOf('@')), ...known.filter((word) => typeof word === 'string')]
}
