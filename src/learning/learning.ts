import type { Caller } from '#foundation/security/session-gate.ts'
import type { Store, Viewer } from './access/access.ts'

/** What every slice of the service works with. */
export type Learning = Store & { viewerOf: (caller: Caller) => Viewer }
