import { type Ask, serveTasks } from '#foundation/worker-tasks.ts'
import { readSamlMetadata, type SamlMetadata } from './saml-metadata.ts'
import { finishSaml, readLogoutRequest, requestOf, type SamlAddresses, type Sent } from './saml.ts'

/** The thread of saml-in-worker.ts: reads what identity providers, or whoever pretends to be one, say in XML. */
type Message = { provider: SamlMetadata; addresses: SamlAddresses; message: string }

export type SamlTasks = typeof tasks
const tasks = {
  metadata: readSamlMetadata,
  request: requestOf,
  finish: ({ provider, addresses, message, life_ms }: Message & { life_ms: number }, ask: Ask) =>
    finishSaml(provider, addresses, message, {
      life_ms,
      spend: async (request_id) => (await ask(request_id)) as Sent | undefined,
    }),
  logout: ({ provider, addresses, message }: Message) => readLogoutRequest(provider, addresses, message),
}

serveTasks(tasks)
