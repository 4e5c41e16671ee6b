import type { Tx } from '#foundation/database/database.ts'
import { enqueue } from '#foundation/jobs/jobs.ts'

export const MAPPING_CHANGED = 'connection.mapping_changed'
export type RoleRules = readonly { value: string; role: string }[]
type Changed = { site_id: string; connection_id: string; before: RoleRules }

/** People whose groups are kept here get the roles of a new mapping after the answer: there may be many. */
export const queueMappingChange = (tx: Tx, changed: Changed) =>
  enqueue(tx, [
    {
      kind: MAPPING_CHANGED,
      payload: changed,
      delays: [5, 30, 120, 600],
      is_endless: true,
      lease_seconds: 60,
    },
  ])
