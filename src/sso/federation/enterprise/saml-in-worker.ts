import { createWorker } from '#foundation/threads/workers.ts'
import type { SamlMetadata } from './saml-metadata.ts'
import { refuseInTime } from './saml-encryption.ts'
import type { Asked, SamlAddresses, SamlLogout, SamlProof } from './saml.ts'
import type { Question, SamlTasks } from './saml-worker.ts'

/**
 * Reads untrusted XML in a worker, away from the event loop: anybody may post a message to a callback, and its cost is
 * known only after it was read.
 */
const worker = createWorker<SamlTasks>(new URL('./saml-worker.ts', import.meta.url), {
  timeMs: 2_000,
  heapMb: 128,
  waiting: 200,
})

/** The metadata of one identity provider. Throws if it is invalid. */
export const readSamlMetadata = (text: string): Promise<SamlMetadata> => worker.run('metadata', text)

/** The id of the request that a response claims to answer. Throws if it is no SAML message. */
export const requestOf = (SAMLResponse: string): Promise<string> => worker.run('request', SAMLResponse)

/** The proof in a response; throws with the reason if it proves nothing. See saml.ts. */
export const finishSaml = (
  provider: SamlMetadata,
  addresses: SamlAddresses,
  message: string,
  { spend, decryptionKeys, ...rules }: Asked,
): Promise<SamlProof> =>
  refuseInTime(() =>
    worker.run('finish', { provider, addresses, message, ...rules }, (question) => {
      const asked = question as Question
      return 'spend' in asked ? spend(asked.spend) : decryptionKeys()
    }),
  )

/** A signed logout request; throws with the reason if it is invalid. */
export const readLogoutRequest = (
  provider: SamlMetadata,
  addresses: SamlAddresses,
  message: string,
): Promise<SamlLogout> => worker.run('logout', { provider, addresses, message })
