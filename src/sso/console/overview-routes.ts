import { clock } from '#foundation/clock.ts'
import type { Caller } from '#foundation/security/session-gate.ts'
import { listAudit } from '../core/audit/list.ts'
import type { SsoParts } from '../core/parts.ts'
import { listRegisteredSites } from '../operations/approvals/approval.ts'
import { listSites } from '../partners/sites/sites.ts'
import { findUser } from '../people/person/users.ts'
import { listUsers } from '../people/users/list.ts'
import { ownSites } from './own-sites.ts'
import { type Lacks, overviewPage, type Tile } from './overview-pages.ts'
import type { Pages } from './visitor-routes.ts'

const DAY_MS = 86_400_000
const FIRST = { page: 1, per_page: 1 } as const
/** console, learning and collections. */
const OWN_SITES = 3

/** The numbers of the last day, and for an operator what is still missing for a safe installation. */
export function overviewPages({ get }: Pages, parts: SsoParts): void {
  get('/console', { params: {}, query: {} }, async (visitor) => {
    const { caller, is_operator } = visitor
    if (is_operator) {
      const [tiles, lacks] = await Promise.all([readNumbers(parts, caller), readLacks(parts, caller)])
      return overviewPage({ ...visitor, tiles, lacks })
    }
    const [site] = await ownSites(parts.database, caller)
    const tiles = site ? await readNumbers(parts, caller, site.site_code) : []
    return overviewPage({ ...visitor, tiles })
  })
}

async function readNumbers({ database: db }: SsoParts, caller: Caller, site_code?: string): Promise<Tile[]> {
  const at = site_code === undefined ? {} : { site_code }
  const since = new Date(clock.now() - DAY_MS).toISOString()
  const acts = (action: string) => listAudit(db, caller, { ...FIRST, ...at, action, since })
  const [people, sites, signedIn, failed] = await Promise.all([
    listUsers(db, caller, { ...FIRST, ...at, sort: '-created_at' }),
    site_code === undefined ? listRegisteredSites(db, caller, FIRST) : listSites(db, caller, FIRST),
    acts('login.succeeded'),
    acts('login.failed'),
  ])
  const of = site_code === undefined ? '' : `&site_code=${site_code}`
  return [
    { text: 'People', number: people.total, href: `/console/people?${of}` },
    { text: 'Sites', number: sites.total, href: '/console/sites' },
    {
      text: 'Sign-ins in 24 hours',
      number: signedIn.total,
      href: `/console/audit?action=login.succeeded${of}`,
    },
    { text: 'Failed ones', number: failed.total, href: `/console/audit?action=login.failed${of}` },
  ]
}

async function readLacks({ database: db, config }: SsoParts, caller: Caller): Promise<Lacks> {
  const [self, sites] = await Promise.all([
    findUser(db.fast, caller, caller.user_id),
    listRegisteredSites(db, caller, FIRST),
  ])
  return {
    factor: self?.mfa_enabled === false,
    mail: config.SMTP_URL === undefined,
    address: config.SSO_URL === undefined,
    backup: config.BACKUP_PASSPHRASE === undefined,
    site: sites.total <= OWN_SITES,
  }
}
