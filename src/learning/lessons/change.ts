import { type Static, Type } from 'typebox'
import { Nullable, OneOf, Time } from '#foundation/http/schemas.ts'
import { isUuid } from '#foundation/ids.ts'
import type { Viewer } from '../access/access.ts'
import { EPISODE_STATUSES } from '../episodes/episode.ts'
import type { Learning } from '../learning.ts'
import { profilesById } from '../names.ts'
import { isSame } from './fields.ts'
import { type Kept, openChanges, versionOf } from './kept.ts'
import type { Lesson } from './lesson.ts'

const Version = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })

/**
 * What was typed. `over` is the version of the field that it was typed over; 0 for one without changes. `base` is what
 * was published then, if that is known.
 */
export const ChangesBody = Type.Object(
  {
    since: Type.Optional(Version),
    changes: Type.Array(
      Type.Object(
        {
          name: Type.String({ minLength: 1, maxLength: 200 }),
          value: Type.Unknown(),
          over: Version,
          base: Type.Optional(Type.Unknown()),
        },
        { additionalProperties: false },
      ),
      { maxItems: 500 },
    ),
  },
  { additionalProperties: false },
)
export type ChangesBody = Static<typeof ChangesBody>

/** Changes after this version only; 0: all that are open. */
export const ChangesQuery = Type.Object({
  since: Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0 }),
})

const Change = Type.Object({
  name: Type.String(),
  version: Type.Integer(),
  /** False: published or discarded meanwhile, and `value` is what is published. */
  is_open: Type.Boolean(),
  /** Something else was published since the change was begun: `published`, in place of `base`. */
  is_conflict: Type.Boolean(),
  value: Type.Unknown(),
  base: Type.Optional(Type.Unknown()),
  published: Type.Optional(Type.Unknown()),
  changed_by: Type.Object({
    user_id: Type.String(),
    display_name: Nullable(Type.String()),
    is_you: Type.Boolean(),
  }),
  changed_at: Time,
})
type Change = Static<typeof Change>

/** The unpublished changes of a lesson, or those since a version. */
export const Changes = Type.Object({
  version: Type.Integer(),
  status: OneOf([...EPISODE_STATUSES]),
  /** Whether a publication would change what learners see. */
  is_changed: Type.Boolean(),
  changes: Type.Array(Change),
  /** Of the sent ones: somebody else has a newer change. Theirs stays and stands in `changes`. */
  refused: Type.Array(Type.String()),
  /** Of the sent ones: their homework or test is not part of this lesson, or no longer. Not kept. */
  gone: Type.Array(Type.String()),
})
export type Changes = Static<typeof Changes>

type Shown = {
  lesson: Lesson
  kept: readonly Kept[]
  since: number
  refused?: string[]
  gone?: string[]
  /** Written by this request: who sent them knows them. */
  own?: ReadonlySet<string>
}

export async function shown(
  { names }: Pick<Learning, 'names'>,
  { tenant_id, user_id }: Viewer,
  { lesson, kept, since, refused = [], gone = [], own }: Shown,
): Promise<Changes> {
  const told = kept.filter(
    ({ name, version, is_open }) =>
      lesson.fields.has(name) &&
      (refused.includes(name) || (version > since && !own?.has(name) && (is_open || since > 0))),
  )
  const people = told.map(({ changed_by }) => changed_by).filter(isUuid)
  const profiles = await profilesById(names, tenant_id, people)
  const changeOf = ({ name, version, is_open, value, base, changed_by, changed_at }: Kept): Change => {
    const published = lesson.fields.get(name)
    const is_conflict = is_open && !isSame(base, published) && !isSame(value, published)
    return {
      name,
      version,
      is_open,
      is_conflict,
      value: is_open ? value : published,
      ...(is_conflict && { base, published }),
      changed_by: {
        user_id: changed_by,
        display_name: profiles.get(changed_by)?.display_name ?? null,
        is_you: changed_by === user_id,
      },
      changed_at,
    }
  }
  return {
    version: versionOf(kept),
    status: lesson.status,
    is_changed: lesson.status === 'draft' || openChanges(lesson, kept).length > 0,
    changes: told.map(changeOf),
    refused,
    gone,
  }
}
