import { StartError } from '#foundation/start-error.ts'
import { detailOf, signInAsOperator } from './api-client.ts'
import { ACCOUNT, readArguments } from './arguments.ts'

export const usage = `npm start -- rotate-keys [--environment production|sandbox] [--emergency KID] ${ACCOUNT}
Changes the keys that sign access tokens, in both environments unless one is named. With --emergency that key counts no
longer from now on, and everybody's access tokens are renewed. What is not given comes from DATA_DIR/first-run.json.`

/**
 * Asks a running installation, as an ADMIN of the site `console`, to rotate to the next signing key. Prints one line
 * per environment. StartError when the service refuses.
 */
export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const options = { environment: { type: 'string' }, emergency: { type: 'string' } } as const
  const { values } = readArguments(args, { usage, options })
  const { environment, emergency } = values
  if (emergency !== undefined && environment === undefined)
    throw new StartError(`--emergency needs the environment of the key\n${usage}`)
  const client = await signInAsOperator(values, env)
  for (const one of environment === undefined ? ['production', 'sandbox'] : [environment]) {
    const body = { environment: one, ...(emergency !== undefined && { emergency }) }
    const answer = await client.send('POST', '/api/v1/signing-keys/rotate', body)
    if (answer.status !== 200) throw new StartError(`${one}: ${detailOf(answer)}`)
    console.log(`${one}: ${tell(answer.body)}`)
  }
}

function tell({ active_kid, standby_kid, activates_at, revoked_kid }: Record<string, unknown>): string {
  const revoked = typeof revoked_kid === 'string' ? `${revoked_kid} is revoked; ` : ''
  const next = typeof activates_at === 'string' ? ` until ${activates_at}, then ${String(standby_kid)}` : ''
  return `${revoked}${String(active_kid)} signs${next}`
}
