import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dispatcher, FormData, request } from 'undici'
import { type Config, loadConfig } from '#foundation/settings/config.ts'
import { isLoopbackName } from '#foundation/web/hosts.ts'
import { StartError } from '#foundation/start-error.ts'

type Account = {
  sso: string
  /** The public addresses from the environment. A service answers only to its own host. */
  known_as: { sso?: string | undefined; learning?: string | undefined }
  site_key: string
  email: string
  password: string
  /** The code of a second factor, if the account has one. */
  code?: string | undefined
}
export type Answer = { status: number; body: Record<string, unknown>; text: string }
export type Client = {
  /** `body`: a form is sent as multipart, anything else as JSON. */
  send(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
}

/** Attempts at a service that is busy (503), starting or out of reach. */
const TRIES = 6

type AccountValues = Partial<Record<'sso' | 'site-key' | 'email' | 'password' | 'code', string>>

type FirstRun = {
  admin?: { email?: string; password?: string }
  sites?: Record<string, { site_key?: string }>
}

/**
 * The account for a site: the given values, else the admin of DATA_DIR/first-run.json. StartError names what is
 * missing.
 */
export function accountOf(values: AccountValues, env: NodeJS.ProcessEnv, site_code: string): Account {
  const config = loadConfig(env)
  const { DATA_DIR, SSO_URL, LEARNING_URL } = config
  const path = join(DATA_DIR, 'first-run.json')
  const firstRun: FirstRun = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as FirstRun) : {}
  const need = (given: string | undefined, known: string | undefined, option: string): string => {
    const value = given ?? known
    if (value === undefined) throw new StartError(`${path} does not tell; give --${option}`)
    return value
  }
  return {
    sso: values.sso ?? addressOf(config, 'SSO_PORT'),
    known_as: { sso: SSO_URL, learning: LEARNING_URL },
    site_key: need(values['site-key'], firstRun.sites?.[site_code]?.site_key, 'site-key'),
    email: need(values.email, firstRun.admin?.email, 'email'),
    password: need(values.password, firstRun.admin?.password, 'password'),
    code: values.code,
  }
}

/** Where a service of this installation listens, by the settings that started it. */
export function addressOf({ HOST, ...ports }: Config, port: 'SSO_PORT' | 'LEARNING_PORT'): string {
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${ports[port]}`
}

/**
 * A client of one service that signs in and stays signed in. It waits as long as a 429 says, retries after a 503 and
 * refreshes its token on a 401. StartError when the service is out of reach or refuses the sign-in.
 */
export async function signIn(url: string, account: Account): Promise<Client> {
  let tokens = await login(account)
  const host = hostFor(url, url === account.sso ? account.known_as.sso : account.known_as.learning)
  return {
    async send(method, path, body, headers = {}) {
      const attempt = () =>
        call(`${url}${path}`, method, body, {
          ...headers,
          ...host,
          authorization: `Bearer ${tokens.access_token}`,
        })
      const answer = await attempt()
      if (answer.status !== 401) return answer
      tokens = (await refresh(account, tokens.refresh_token)) ?? (await login(account))
      return attempt()
    },
  }
}

/** Signs in at the site `console`, for the commands of an operator. */
export function signInAsOperator(values: AccountValues, env: NodeJS.ProcessEnv): Promise<Client> {
  const account = accountOf(values, env, 'console')
  return signIn(account.sso, account)
}

/** The Host header. A request to a loopback address must still name the public host of the service. */
const hostFor = (url: string, known_as: string | undefined): Record<string, string> =>
  known_as !== undefined && isLoopbackName(new URL(url).hostname) ? { host: new URL(known_as).host } : {}

type Tokens = { access_token: string; refresh_token: string }

const post = ({ sso, site_key, known_as }: Account, path: string, body: unknown) =>
  call(`${sso}/api/v1/auth/${path}`, 'POST', body, {
    'x-sso-site-key': site_key,
    ...hostFor(sso, known_as.sso),
  })

async function login(account: Account): Promise<Tokens> {
  const { email, password, code } = account
  let answer = await post(account, 'login', { email, password })
  if (answer.status === 200 && !tokensOf(answer)) {
    if (code === undefined) throw new StartError(`${email} signs in with a second factor; give --code`)
    answer = await post(account, 'mfa/verify', { mfa_token: answer.body['mfa_token'], code })
  }
  const tokens = tokensOf(answer)
  if (answer.status === 200 && tokens) return tokens
  throw new StartError(`Signing in as ${email} failed: ${detailOf(answer)}`)
}

async function refresh(account: Account, refresh_token: string): Promise<Tokens | undefined> {
  const answer = await post(account, 'refresh', { refresh_token })
  return answer.status === 200 ? tokensOf(answer) : undefined
}

function tokensOf({ body: { access_token, refresh_token } }: Answer): Tokens | undefined {
  return typeof access_token === 'string' && typeof refresh_token === 'string'
    ? { access_token, refresh_token }
    : undefined
}

/** Returns the body of a 200; otherwise throws a StartError with the detail of the service. */
export function demand(answer: Answer): Answer['body'] {
  if (answer.status !== 200) throw new StartError(detailOf(answer))
  return answer.body
}

export const detailOf = ({ status, body }: Answer): string =>
  typeof body['detail'] === 'string' ? `${status} ${body['detail']}` : `status ${status}`

async function call(
  url: string,
  method: Dispatcher.HttpMethod,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const reply = await request(url, {
      method,
      headers: body instanceof FormData ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? null : body instanceof FormData ? body : JSON.stringify(body),
    }).catch((error: unknown) => {
      if (tries < TRIES) return undefined
      throw new StartError(
        `${new URL(url).origin} does not answer: ${String((error as { code?: string }).code ?? error)}`,
      )
    })
    const text = await reply?.body.text()
    const mayComeBack = reply === undefined || reply.statusCode === 429 || reply.statusCode === 503
    // A 429 says when to come back, so its retries are unlimited; a failing service gets TRIES attempts.
    if (reply && (!mayComeBack || (reply.statusCode === 503 && tries >= TRIES)))
      return { status: reply.statusCode, body: readJson(text ?? ''), text: text ?? '' }
    const seconds = Number(reply?.headers['retry-after'] ?? 1)
    await sleep((Number.isFinite(seconds) ? seconds : 1) * 1_000)
  }
}

function readJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
