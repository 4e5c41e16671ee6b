import { lyceumRoutes } from '@lyceum/server/next'
import { lyceum } from '../../../lib/lyceum.js'

// sign-in, callback, sign-out, webhook
export const { GET, POST } = lyceumRoutes(lyceum)
