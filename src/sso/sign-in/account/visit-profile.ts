import { type Static, type TObject, Type } from 'typebox'
import { one } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import type { Html } from '../../core/pages/html.ts'
import { Line } from '../../core/pages/requests.ts'
import type { Visit } from '../../core/pages/visit.ts'
import type { SsoParts } from '../../core/parts.ts'
import { updateUser } from '../../people/users/update.ts'
import { formAnswer, missing, type Refusal, refusalOf } from '../hosted/faults.ts'
import { profilePage } from './pages.ts'
import { asProvenVisitor } from './visitor.ts'
import { t } from './words.ts'

/** An empty field clears what is stored. */
export const ProfileFields = {
  display_name: Line,
  username: Line,
  locale: Line,
  time_zone: Line,
  avatar_url: Type.String({ maxLength: 2_100 }),
}
/** What the page showed, unseen in its form. */
const Was = Type.Optional(ProfileFields.avatar_url)
export const ProfileForm = {
  version: Type.String({ pattern: '^[1-9][0-9]{0,8}$' }),
  ...ProfileFields,
  was_display_name: Was,
  was_username: Was,
  was_locale: Was,
  was_time_zone: Was,
  was_avatar_url: Was,
}
const NAMES = Object.keys(ProfileFields) as (keyof Texts)[]
type Texts = Static<TObject<typeof ProfileFields>>
type Sent = Static<TObject<typeof ProfileForm>>
type Profile = Record<keyof Texts, string | null>
type Stored = Profile & { version: number }

const PAGE = '/account/profile'

export const getProfile = (parts: SsoParts, visit: Visit) =>
  asProvenVisitor(parts, visit, PAGE, async (caller) => show(visit, await readProfile(parts, caller)))

/**
 * Saves only the fields that differ from what was shown. If somebody changed the account meanwhile, the page shows their
 * values in all other fields, and is saved on the next try.
 */
export const postProfile = (parts: SsoParts, visit: Visit, { version: shown, ...sent }: Sent) =>
  asProvenVisitor(parts, visit, PAGE, async (caller) => {
    const version = Number(shown)
    const stored = await readProfile(parts, caller)
    const typed = each((name) => sent[name].trim() || null)
    const was = each((name) => {
      const text = sent[`was_${name}`]
      return text === undefined ? stored[name] : text || null
    })
    const changed = NAMES.filter((name) => typed[name] !== was[name])
    if (changed.length === 0) return show(visit, stored, { notice: t('unchanged') })
    const patch = Object.fromEntries(changed.map((name) => [name, typed[name]]))
    const asked = { patch: { ...patch, version }, if_match: undefined, site_code: undefined }
    try {
      await updateUser(parts, caller, caller.user_id, asked, visit.from)
      return show(visit, await readProfile(parts, caller), { notice: t('profile_saved') })
    } catch (error) {
      const isStale = error instanceof ApiError && error.code === 'version_conflict'
      const refusal = isStale ? missing('display_name', t('profile_stale')) : refusalOf(error, 'display_name')
      if (!isStale) return show(visit, { ...typed, version }, { refusal, was })
      const both = each((name) => (changed.includes(name) ? typed : stored)[name])
      return show(visit, { ...both, version: stored.version }, { refusal, was: stored })
    }
  })

async function readProfile({ database }: SsoParts, { user_id }: Caller): Promise<Stored> {
  return one(
    await database.fast<Stored[]>`
      select display_name, username, locale, time_zone, avatar_url, version
        from sso.users where user_id = ${user_id} and status = 'active'`,
  )
}

/** A value for each field of the form, and for nothing else that was posted. */
const each = (valueOf: (name: keyof Texts) => string | null) =>
  Object.fromEntries(NAMES.map((name) => [name, valueOf(name)])) as Record<keyof Texts, string | null>

const show = (
  visit: Visit,
  { version, ...profile }: Stored,
  { refusal, notice, was = profile }: { refusal?: Refusal; notice?: Html; was?: Profile } = {},
) => formAnswer(visit, (state) => profilePage({ ...state, profile, was, version, notice }), { refusal })
