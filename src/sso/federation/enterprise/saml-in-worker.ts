import { createWorker } from '#foundation/threads/workers.ts'
import type { SamlMetadata } from './saml-metadata.ts'
import { refuseInTime } from './saml-encryption.ts'
import type { Asked, SamlAddresses, SamlLogout, SamlProof } from './saml.ts'
import type { Question, SamlTasks } from './saml-worker.ts'

/**
 * Reading XML of strangers, away from the thread that answers: anybody may post a message to a callback, and what it costs
 * to read is known only when it was read.
 */
const worker = createWorker<SamlTasks>(new URL('./saml-worker.ts', import.meta.url), {
  timeMs: 2_000,
  heapMb: 128,
  waiting: 200,
})

/** The metadata of one identity provider. Throws for what is none. */
export const readSamlMetadata = (text: string): Promise<SamlMetadata> => worker.run('metadata', text)

/** The id of the request that a response says it answers. Throws for what is no message. */
export const requestOf = (SAMLResponse: string): Promise<string> => worker.run('request', SAMLResponse)

/** What a response proves, or an error that says why it proves nothing; saml.ts says how. */
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

/** A signed logout request, or an error that says why it is none. */
export const readLogoutRequest = (
  provider: SamlMetadata,
  addresses: SamlAddresses,
  message: string,
): Promise<SamlLogout> => worker.run('logout', { provider, addresses, message })
