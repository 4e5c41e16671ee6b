import { takeConfig } from '#foundation/settings/config.ts'
import { createLog } from '#foundation/log.ts'
import { migrate } from '#foundation/database/migrations.ts'
import { MIGRATIONS, openServer } from './database.ts'

export const usage = `npm start -- migrate
Brings the database to the newest schema and ends. npm start does the same before it begins.`

export async function run(_: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const config = takeConfig(env)
  const server = await openServer(config, createLog(config.LOG_LEVEL), () => {})
  try {
    const ran = await migrate(server.url, MIGRATIONS)
    console.log(ran.length === 0 ? 'Nothing to do: the schema is the newest' : ran.join('\n'))
  } finally {
    await server.stop()
  }
}
