import type { Caller } from '#foundation/security/session-gate.ts'
import type { Store, Viewer } from './access/access.ts'

/** What every feature of the service depends on. */
export type Learning = Store & { viewerOf: (caller: Caller) => Viewer }
