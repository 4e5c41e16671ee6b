import type { Caller } from '#foundation/security/session-gate.ts'
import type { Store, Viewer } from './access/access.ts'
import type { Names } from './names.ts'

/** What every feature of the service depends on; `names` tells teachers what people are called. */
export type Learning = Store & { viewerOf: (caller: Caller) => Viewer; names: Names }
