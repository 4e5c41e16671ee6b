import { randomBytes } from 'node:crypto'
import { createServer, type AddressInfo } from 'node:net'
import { ask, somebody } from './campus.ts'
import { atEnd, shared } from './endings.ts'
import { startMailServer } from './mail-server.ts'
import { isRunning, newDataDir, type Product, removeDataDir, startProduct } from './product.ts'

export type SharedProduct = Product & {
  /** The mail server of the program, which keeps all mail of all files. */
  mail: Awaited<ReturnType<typeof startMailServer>>
  /** The program as it started: `firstRun.sites.learning` is the first site, where people of all files register. */
  home: Product
  /** The own site: its code and tenant, and who is its ADMIN. */
  site_code: string
  tenant_id: string
  owner: Awaited<ReturnType<typeof somebody>>
}

let started: Promise<{ product: Product; mail: SharedProduct['mail'] }> | undefined

/**
 * The started program of this process, shared by all its test files, with a new site in a tenant of its own:
 * `firstRun.sites.learning` is that site, so people and channels of one file are unknown to the next. The sso answers at
 * `localhost`, because passkeys belong to a host name. Only for tests that neither stop nor configure the program.
 */
export async function sharedProduct(): Promise<SharedProduct> {
  const { product, mail } = await (started ??= shared(start))
  const creator = await somebody(product, `owner-${randomBytes(5).toString('hex')}@example.org`)
  const made = await ask({ ...product, learning: product.sso }, creator, '/api/v1/sites', {
    name: `School ${randomBytes(3).toString('hex')}`,
    environment: 'production',
  })
  const { site_id, site_code, tenant_id, site_key, webhook_secret, environment } = made
  const learning = { site_id, site_key, webhook_secret, environment }
  const own = {
    ...product,
    firstRun: { ...product.firstRun, sites: { ...product.firstRun.sites, learning } },
  }
  return { ...own, mail, home: product, site_code, tenant_id, owner: await somebody(own, creator.email) }
}

/**
 * The product with all services at `localhost`, as the sso names itself: a page of another host name does not share its
 * cookies, and a sign-in on our page does not lead back to it.
 */
export function atOneName<T extends Product>(product: T): T {
  const named = (address: string) => address.replace('127.0.0.1', 'localhost')
  const { sso, learning, collections } = product
  return { ...product, sso: named(sso), learning: named(learning), collections: named(collections) }
}

async function start() {
  const mail = await startMailServer()
  const port = await freePort()
  const sso = `http://localhost:${port}`
  const product = await startProduct(newDataDir(), {
    SSO_PORT: `${port}`,
    SSO_URL: sso,
    SMTP_URL: mail.url,
    MAIL_FROM: 'lyceum@example.org',
  })
  atEnd(async () => {
    await product.end()
    await mail.close()
    if (!isRunning) removeDataDir(product.dataDir)
  })
  // An installation that runs already has addresses of its own.
  return { product: isRunning ? product : { ...product, sso }, mail }
}

/** A free port, so that the address of the sso is known before it starts. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}
