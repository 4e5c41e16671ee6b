import type { App } from '#foundation/http/http.ts'
import type { SsoParts } from '../../core/parts.ts'
import { listUsers } from './list-users.ts'
import { resourceRoutes } from './resource-routes.ts'
import { TYPES } from './schema.ts'
import { shownUser, userTag } from './user-rows.ts'
import { createUser, deleteUser, patchUser, readUser, replaceUser } from './users.ts'

/** People of a directory. */
export const scimUserRoutes = (app: App, parts: SsoParts) =>
  resourceRoutes(app, parts, {
    path: 'Users',
    type: TYPES.User,
    idOf: ({ user_id }) => user_id,
    tagOf: userTag,
    shown: shownUser,
    isLarge: false,
    list: listUsers,
    create: createUser,
    read: readUser,
    replace: (own, by, { id: user_id, if_match }, body) => replaceUser(own, by, { user_id, if_match }, body),
    patch: (own, by, { id: user_id, if_match }, body) => patchUser(own, by, { user_id, if_match }, body),
    remove: (own, by, { id: user_id, if_match }) => deleteUser(own, by, { user_id, if_match }),
  })
