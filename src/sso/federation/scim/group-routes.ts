import type { App } from '#foundation/http/http.ts'
import type { SsoParts } from '../../core/parts.ts'
import { groupTag, shownGroup } from './group-rows.ts'
import { createGroup, deleteGroup, listGroups, patchGroup, readGroup, replaceGroup } from './groups.ts'
import { resourceRoutes } from './resource-routes.ts'
import { TYPES } from './schema.ts'

/** Groups of a directory. */
export const scimGroupRoutes = (app: App, parts: SsoParts) =>
  resourceRoutes(app, parts, {
    path: 'Groups',
    type: TYPES.Group,
    idOf: ({ group_id }) => group_id,
    tagOf: groupTag,
    shown: shownGroup,
    isLarge: true,
    list: listGroups,
    create: createGroup,
    read: readGroup,
    replace: (own, by, { id: group_id, if_match }, body) =>
      replaceGroup(own, by, { group_id, if_match }, body),
    patch: (own, by, { id: group_id, if_match }, body) => patchGroup(own, by, { group_id, if_match }, body),
    remove: (own, by, { id: group_id, if_match }) => deleteGroup(own, by, { group_id, if_match }),
  })
