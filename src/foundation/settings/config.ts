import { readFileSync } from 'node:fs'
import { defaultDataDir } from '../embedded-postgres/account.ts'
import { isLoopbackName } from '../web/hosts.ts'
import { meanings, type Setting, settings } from './settings.ts'
import { StartError } from '../start-error.ts'

type Settings = typeof settings
export type Config = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer T> ? T : never
}

/** Prefixes of our settings. An unknown name with one of them is a mistake and stops the start. */
const OURS = /^(SSO|SITE|LEARNING|COLLECTIONS|LLM|RATE_LIMIT|DATABASE|REDIS|OUTBOUND|METRICS|BACKUP|SHED)_/

/**
 * Reads every setting from `env`, or from the file named by NAME_FILE. An empty value counts as unset. All faults are
 * reported in one StartError, one line each.
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const faults: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, { check, default: fallback, alias }] of Object.entries(settings) as [
    string,
    Setting<unknown>,
  ][]) {
    try {
      const given = read(env, name) ?? (alias === undefined ? undefined : env[alias] || undefined)
      values[name] = given === undefined ? fallback : check(given)
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`)
    }
  }
  for (const name of Object.keys(env)) {
    const base = name.replace(/_FILE$/, '')
    if (OURS.test(name) && !(base in settings))
      faults.push(`${name} is not a setting of Lyceum; npm start -- settings lists them`)
  }
  if (values['DATABASE_URL'] !== undefined && values['MASTER_KEY'] === undefined && faults.length === 0)
    faults.push(
      'MASTER_KEY must be set together with DATABASE_URL, so that every process opens the same secrets',
    )
  const apart = [
    'SSO_DATABASE_URL',
    'LEARNING_DATABASE_URL',
    'COLLECTIONS_DATABASE_URL',
    'DATABASE_REPLICA_URL',
  ].filter((name) => values[name] !== undefined)
  if (apart.length > 0 && values['DATABASE_URL'] === undefined && faults.length === 0)
    faults.push(`DATABASE_URL must be set together with ${apart.join(', ')}`)
  const { HOST, TRUSTED_PROXIES } = values as Config
  if (faults.length === 0 && (!isLoopbackName(HOST) || TRUSTED_PROXIES.length > 0)) {
    const missing = ['SSO_URL', 'LEARNING_URL'].filter((name) => values[name] === undefined)
    if (missing.length > 0)
      faults.push(
        `${missing.join(' and ')} must be set where HOST is not loopback or TRUSTED_PROXIES is set, because the services answer under the hosts of their public addresses only`,
      )
  }
  if (!env['DATA_DIR'] && !env['DATA_DIR_FILE']) values['DATA_DIR'] = defaultDataDir()
  if (faults.length > 0) throw new StartError(faults.join('\n'))
  return values as Config
}

/**
 * loadConfig for a long-running program: removes secrets from the environment after reading them, so that no child
 * process, thread or report can contain them.
 */
export function takeConfig(env: NodeJS.ProcessEnv): Config {
  const config = loadConfig(env)
  for (const [name, { secret }] of Object.entries(settings)) if (secret) delete env[name]
  return config
}

/** By the standard variables of OpenTelemetry. */
export const tracesAreOn = ({ OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT }: Config): boolean =>
  OTEL_TRACES_EXPORTER === 'otlp' ||
  (OTEL_TRACES_EXPORTER === undefined && OTEL_EXPORTER_OTLP_ENDPOINT !== undefined)

/** Every setting with its value as text. Secrets are shown as set or not, and addresses without their password. */
export const listSettings = (config: Config) =>
  (Object.keys(settings) as (keyof Config)[]).map((name) => {
    const { secret: is_secret, default: fallback } = settings[name]
    const value = config[name]
    const text = String(value ?? '').replaceAll(/\/\/[^/@]*@/g, '//***@')
    const is_default = String(value) === String(fallback)
    const shown = value === undefined ? '(not set)' : '(set)'
    const meaning = meanings[name]
    return { name, value: is_secret ? shown : text, is_secret, is_default, meaning }
  })

/** All settings as a table for operators: name, value or default, meaning. */
export const describeSettings = (config: Config): string =>
  listSettings(config)
    .map(({ name, value, meaning }) => `${name.padEnd(24)} ${value.padEnd(22)} ${meaning}`)
    .join('\n')

function read(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const file = env[`${name}_FILE`]
  if (file && env[name]) throw new Error(`is set twice: ${name} and ${name}_FILE`)
  if (!file) return env[name] || undefined
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '') || undefined
  } catch {
    throw new Error(`cannot be read from the file that ${name}_FILE names`)
  }
}
