import type { Acting } from '../../core/access/access.ts'
import type { Person } from './person.ts'

/** An import as its batches need it. */
export type Import = {
  job_id: string
  site_id: string
  site_code: string
  tenant_id: string
  environment: 'sandbox' | 'production'
  /** In whose name. */
  acting: Acting
  on_conflict: 'skip' | 'update' | 'error'
  dry_run: boolean
  emit_events: boolean
}

/** A good record with the keys it is found by and the id it gets if it is new. */
export type Candidate = Person & {
  row: number
  user_id: string
  email_fold: string
  username_fold: string | null
}
