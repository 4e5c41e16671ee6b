import { type Ask, serveTasks } from '#foundation/threads/worker-tasks.ts'
import { readSamlMetadata, type SamlMetadata } from './saml-metadata.ts'
import { finishSaml, readLogoutRequest, type SamlAddresses, type Sent } from './saml.ts'
import { type RequiredSignature, requestOf } from './saml-shape.ts'

/**
 * Runs in the worker of saml-in-worker.ts: reads XML from identity providers, or from anybody who pretends to be one.
 */
type Message = { provider: SamlMetadata; addresses: SamlAddresses; message: string }

type Rules = { life_ms: number; required_signature: RequiredSignature }
/** A question that only the main thread can answer. */
export type Question = { spend: string } | { decryption_keys: true }

export type SamlTasks = typeof tasks
const tasks = {
  metadata: readSamlMetadata,
  request: requestOf,
  finish: ({ provider, addresses, message, ...rules }: Message & Rules, ask: Ask) =>
    finishSaml(provider, addresses, message, {
      ...rules,
      spend: async (request_id) => (await ask({ spend: request_id } satisfies Question)) as Sent | undefined,
      decryptionKeys: async () => (await ask({ decryption_keys: true } satisfies Question)) as string[],
    }),
  logout: ({ provider, addresses, message }: Message) => readLogoutRequest(provider, addresses, message),
}

serveTasks(tasks)
