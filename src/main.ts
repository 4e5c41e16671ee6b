import { PARTS } from './cli/addresses.ts'
import { exitOnSignals } from '#foundation/processes/exit.ts'
import { StartError } from '#foundation/start-error.ts'

type Command = {
  /** The usage line and a description, for --help. */
  usage: string
  /** Throws a StartError for anything the user can correct. */
  run: (args: string[], env: NodeJS.ProcessEnv) => Promise<void>
  /** Signals are its own; any other command ends at once, with what it started. */
  stopsItself?: true
}

/** The commands of `npm start -- COMMAND`. Each loads only the modules it needs. */
const commands: Record<string, { meaning: string; load: () => Promise<Command> }> = {
  all: {
    meaning: 'runs the three services; the same without a command',
    load: () => import('./cli/start.ts'),
  },
  sso: partOf('the single sign-on service, alone or with other parts: npm start -- sso jobs'),
  learning: partOf('the learning service'),
  collections: partOf('the collections service'),
  jobs: partOf('the work after answers: mail, webhooks, imports, erasures'),
  migrate: {
    meaning: 'brings the database to the newest schema and ends',
    load: () => import('./cli/migrate.ts'),
  },
  backup: {
    meaning: 'writes database and keys into a sealed file, while the program runs',
    load: () => import('./cli/backup.ts'),
  },
  restore: { meaning: 'restores a backup into an empty place', load: () => import('./cli/restore.ts') },
  verify: {
    meaning: 'checks a backup from its beginning to its end, without a database',
    load: () => import('./cli/verify.ts'),
  },
  settings: { meaning: 'lists every setting with its value', load: () => import('./cli/settings.ts') },
  'import-channels': {
    meaning: 'imports channels from a JSON Lines file, through the API',
    load: () => import('./cli/import-channels.ts'),
  },
  'import-people': {
    meaning: 'imports people with their passwords from Keycloak, Auth0, Firebase, Django or WordPress',
    load: () => import('./cli/import-people.ts'),
  },
  'rotate-keys': {
    meaning: 'changes the keys that sign tokens, through the API of the running program',
    load: () => import('./cli/rotate-keys.ts'),
  },
  retention: {
    meaning: 'counts what is old enough to be deleted, through the API of the running program',
    load: () => import('./cli/retention.ts'),
  },
  'wipe-sandbox': {
    meaning: 'empties the sandbox, through the API of the running program',
    load: () => import('./cli/wipe-sandbox.ts'),
  },
  help: {
    meaning: 'lists the commands',
    load: async () => ({ usage: help(), run: async () => console.log(help()) }),
  },
}

const [name = 'all', ...rest] = process.argv.slice(2)
const args = PARTS.some((part) => part === name) ? [name, ...rest] : rest
try {
  const command = commands[name === '--help' ? 'help' : name]
  if (!command) throw new StartError(`"${name}" is not a command; npm start -- help lists the commands`)
  const { usage, run, stopsItself } = await command.load()
  if (!stopsItself) exitOnSignals()
  if (args.includes('--help')) console.log(usage)
  else await run(args, process.env)
} catch (error) {
  const { sentenceOf } = await import('./cli/failure.ts')
  console.error(sentenceOf(error))
  if (!(error instanceof StartError) && process.env['LOG_LEVEL'] === 'debug') console.error(error)
  process.exit(1)
}

function partOf(what: string) {
  return { meaning: `runs ${what}`, load: () => import('./cli/start.ts') }
}

function help(): string {
  const lines = Object.entries(commands).map(
    ([one, { meaning }]) => `npm start -- ${one.padEnd(16)} ${meaning}`,
  )
  return [...lines, 'npm start -- COMMAND --help shows how a command is called'].join('\n')
}
