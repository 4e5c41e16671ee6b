import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dispatcher, request } from 'undici'
import { loadConfig } from '#foundation/config.ts'
import { isLoopbackName } from '#foundation/hosts.ts'
import { StartError } from '#foundation/start-error.ts'

export type Account = {
  sso: string
  /** The public addresses, where the environment tells them: a service answers under its own host only. */
  known_as: { sso?: string | undefined; learning?: string | undefined }
  site_key: string
  email: string
  password: string
  /** The code of a second factor, where the account has one. */
  code?: string | undefined
}
export type Answer = { status: number; body: Record<string, unknown> }
export type Client = {
  send(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
}

/** How often a service that is busy, starting or out of reach is asked again. */
const TRIES = 6

/** The options of a command that say who signs in. */
export const accountOptions = {
  sso: { type: 'string', default: 'http://127.0.0.1:8064' },
  'site-key': { type: 'string' },
  email: { type: 'string' },
  password: { type: 'string' },
  code: { type: 'string' },
} as const
type AccountValues = { sso: string } & Partial<Record<'site-key' | 'email' | 'password' | 'code', string>>

type FirstRun = {
  admin?: { email?: string; password?: string }
  sites?: Record<string, { site_key?: string }>
}

/** Who signs in at that site: as given, else the admin of DATA_DIR/first-run.json. StartError names what is missing. */
export function accountOf(values: AccountValues, env: NodeJS.ProcessEnv, site_code: string): Account {
  const { DATA_DIR, SSO_URL, LEARNING_URL } = loadConfig(env)
  const path = join(DATA_DIR, 'first-run.json')
  const firstRun: FirstRun = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as FirstRun) : {}
  const need = (given: string | undefined, known: string | undefined, option: string): string => {
    const value = given ?? known
    if (value === undefined) throw new StartError(`${path} does not tell; give --${option}`)
    return value
  }
  return {
    sso: values.sso,
    known_as: { sso: SSO_URL, learning: LEARNING_URL },
    site_key: need(values['site-key'], firstRun.sites?.[site_code]?.site_key, 'site-key'),
    email: need(values.email, firstRun.admin?.email, 'email'),
    password: need(values.password, firstRun.admin?.password, 'password'),
    code: values.code,
  }
}

/**
 * A client of one service that signs in and stays signed in: it waits as long as a 429 says, comes back
 * after a 503, and renews its token on a 401. StartError when nobody answers or the sign-in is refused.
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

/** Asked at an address of this machine, a service is still told the host it is known by. */
const hostFor = (url: string, known_as: string | undefined): Record<string, string> =>
  known_as !== undefined && isLoopbackName(new URL(url).hostname) ? { host: new URL(known_as).host } : {}

const siteHeaders = ({ sso, site_key, known_as }: Account) => ({
  'x-sso-site-key': site_key,
  ...hostFor(sso, known_as.sso),
})

type Tokens = { access_token: string; refresh_token: string }

async function login(account: Account): Promise<Tokens> {
  const { sso, email, password } = account
  const answer = await call(`${sso}/api/v1/auth/login`, 'POST', { email, password }, siteHeaders(account))
  if (answer.status !== 200) throw new StartError(`Signing in as ${email} failed: ${detailOf(answer)}`)
  return tokensOf(answer) ?? passSecondFactor(account, answer)
}

async function passSecondFactor(account: Account, asked: Answer): Promise<Tokens> {
  const { sso, email, code } = account
  if (code === undefined) throw new StartError(`${email} signs in with a second factor; give --code`)
  const answer = await call(
    `${sso}/api/v1/auth/mfa/verify`,
    'POST',
    { mfa_token: asked.body['mfa_token'], code },
    siteHeaders(account),
  )
  const tokens = tokensOf(answer)
  if (answer.status !== 200 || !tokens)
    throw new StartError(`Signing in as ${email} failed: ${detailOf(answer)}`)
  return tokens
}

async function refresh(account: Account, refresh_token: string): Promise<Tokens | undefined> {
  const answer = await call(
    `${account.sso}/api/v1/auth/refresh`,
    'POST',
    { refresh_token },
    siteHeaders(account),
  )
  return answer.status === 200 ? tokensOf(answer) : undefined
}

function tokensOf({ body: { access_token, refresh_token } }: Answer): Tokens | undefined {
  return typeof access_token === 'string' && typeof refresh_token === 'string'
    ? { access_token, refresh_token }
    : undefined
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
      headers: { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    }).catch((error: unknown) => {
      if (tries < TRIES) return undefined
      throw new StartError(
        `${new URL(url).origin} does not answer: ${String((error as { code?: string }).code ?? error)}`,
      )
    })
    const text = await reply?.body.text()
    const mayComeBack = reply === undefined || reply.statusCode === 429 || reply.statusCode === 503
    // A limit says exactly when it lets us in, so waiting for it has no end; a failing service gets a few tries.
    if (reply && (!mayComeBack || (reply.statusCode === 503 && tries >= TRIES)))
      return { status: reply.statusCode, body: readJson(text ?? '') }
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
