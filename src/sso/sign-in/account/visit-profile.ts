import { type Static, type TObject, Type } from 'typebox'
import { one } from '#foundation/database/database.ts'
import { ApiError } from '#foundation/errors.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import type { CountTaken } from '../../core/limits/taken.ts'
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
const NAMES = Object.keys(ProfileFields) as (keyof Texts)[]
type Texts = Static<TObject<typeof ProfileFields>>
type Stored = Record<keyof Texts, string | null> & { version: number }

const PAGE = '/account/profile'

export const getProfile = (parts: SsoParts, visit: Visit) =>
  asProvenVisitor(parts, visit, PAGE, async (caller) => show(visit, await readProfile(parts, caller)))

/** Saves only the fields that differ from the version that was shown, unless somebody changed the account meanwhile. */
export const postProfile = (
  parts: SsoParts,
  visit: Visit,
  { version: shown, ...texts }: Texts & { version: string },
  countTaken: CountTaken,
) =>
  asProvenVisitor(parts, visit, PAGE, async (caller) => {
    const version = Number(shown)
    const stored = await readProfile(parts, caller)
    const typed = each((name) => texts[name].trim() || null)
    const changed = NAMES.filter((name) => typed[name] !== stored[name])
    if (changed.length === 0) return show(visit, stored, { notice: t('unchanged') })
    const patch = Object.fromEntries(changed.map((name) => [name, typed[name]]))
    const asked = { patch: { ...patch, version }, if_match: undefined, site_code: undefined }
    try {
      await countTaken(caller.user_id, () => updateUser(parts, caller, caller.user_id, asked, visit.from))
      return show(visit, await readProfile(parts, caller), { notice: t('profile_saved') })
    } catch (error) {
      const isStale = error instanceof ApiError && error.code === 'version_conflict'
      const refusal = isStale ? missing('display_name', t('profile_stale')) : refusalOf(error, 'display_name')
      return show(visit, { ...typed, version: isStale ? stored.version : version }, { refusal })
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
  { refusal, notice }: { refusal?: Refusal; notice?: Html } = {},
) => formAnswer(visit, (state) => profilePage({ ...state, profile, version, notice }), { refusal })
