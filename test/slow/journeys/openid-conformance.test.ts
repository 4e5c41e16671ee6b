import { describe } from 'node:test'
import { discoveryModules } from './openid-conformance/discovery.ts'
import { startProvider } from './openid-conformance/provider.ts'
import { requestModules } from './openid-conformance/requests.ts'
import { sessionModules } from './openid-conformance/sessions.ts'
import { userInfoModules } from './openid-conformance/userinfo.ts'

// Test modules of the OpenID Foundation's conformance suite, by id; docs/decisions/openid-provider.md names its version.
const op = await startProvider()

describe('oidcc-basic-certification-test-plan', () => {
  requestModules(op)
  userInfoModules(op)
  sessionModules(op)
})

describe('oidcc-config-certification-test-plan', () => discoveryModules(op))
