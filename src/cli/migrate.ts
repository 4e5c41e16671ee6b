import { takeConfig } from '#foundation/settings/config.ts'
import { createLog } from '#foundation/log.ts'
import { migrateAll, openServer, urlsOf } from './database.ts'

export const usage = `npm start -- migrate
Brings every database to the newest schema and ends. npm start does the same before it begins.`

export async function run(_: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const config = takeConfig(env)
  const server = await openServer(config, createLog(config.LOG_LEVEL), () => {})
  try {
    const ran = await migrateAll(urlsOf(config, server.url))
    console.log(ran.length === 0 ? 'Nothing to do: the schema is the newest' : ran.join('\n'))
  } finally {
    await server.stop()
  }
}
