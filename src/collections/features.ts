import type { ServiceParts } from '#foundation/http/service.ts'
import type { App } from '#foundation/http/http.ts'
import { operationalRoutes } from '#foundation/http/operational-routes.ts'
import { referenceRoutes } from '#foundation/reference/routes.ts'
import { publicAddress } from '#foundation/http/public-address.ts'
import { assets } from './pages/assets.ts'
import type { Identity, SessionGate } from '#foundation/security/session-gate.ts'
import { accountRoutes } from './account/routes.ts'
import { changeRoutes } from './changes/routes.ts'
import { collectionRoutes } from './collections/routes.ts'
import { exportRoutes } from './export/routes.ts'
import { historyRoutes } from './history/routes.ts'
import { itemRoutes } from './items/routes.ts'
import { memberRoutes } from './members/routes.ts'
import { bulkRoutes } from './bulk/routes.ts'
import { pageRoutes } from './pages/routes.ts'
import { systemRoutes } from './system/routes.ts'
import { templateRoutes } from './template/routes.ts'
import { viewRoutes } from './views/routes.ts'

type Siblings = { gate: SessionGate; identity: Identity }

/** The features of this service, in reading order. */
export function registerFeatures(app: App, parts: ServiceParts, { gate, identity }: Siblings) {
  accountRoutes(app, parts.database, identity)
  collectionRoutes(app, parts.database, parts.config)
  itemRoutes(app, parts)
  changeRoutes(app, parts)
  historyRoutes(app, parts, identity)
  memberRoutes(app, parts, identity)
  viewRoutes(app, parts)
  templateRoutes(app, parts)
  exportRoutes(app, parts)
  bulkRoutes(app, parts)
  pageRoutes(app, parts, gate)
  systemRoutes(app, parts)
  operationalRoutes(app, parts)
  const addressOf = publicAddress(parts.config.COLLECTIONS_URL)
  referenceRoutes(app, { url: '/openapi.json', auth: 'public', assets, addressOf })
}
