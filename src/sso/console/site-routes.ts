import { Type } from 'typebox'
import { notFound } from '#foundation/errors.ts'
import { OneOf, Uuid } from '#foundation/http/schemas.ts'
import type { SsoParts } from '../core/parts.ts'
import { createVetUrl } from '../events/webhooks/endpoints.ts'
import { listRegisteredSites } from '../operations/approvals/approval.ts'
import { changeSite } from '../partners/sites/change.ts'
import { createSite } from '../partners/sites/create.ts'
import { addKey, deleteKey, listKeys } from '../partners/sites/keys.ts'
import { listSites, requireSite } from '../partners/sites/sites.ts'
import { newKeyPage, newSitePage, siteMadePage, sitePage, sitesPage } from './sites-pages.ts'
import { given, type Pages, required, Version, versionOf, type Visitor } from './visitor-routes.ts'

const Url = Type.Optional(Type.String({ maxLength: 2_048 }))
const Name = Type.Optional(Type.String({ maxLength: 200 }))
const PER_PAGE = 50

const list = { params: {}, query: { cursor: Type.Optional(Type.String({ maxLength: 2_000 })) } }
const none = { params: {}, query: {} }
const site = { params: { site_id: Uuid }, query: {} }

/** The sites of the caller, all for an operator; a new one; keys and addresses of one. */
export function sitePages({ get, post }: Pages, parts: SsoParts): void {
  const db = parts.database
  const vetUrl = createVetUrl(parts)

  get('/console/sites', list, async (visitor, { query: { cursor } }) => {
    const asked = { page: 1, per_page: PER_PAGE, ...(cursor !== undefined && { cursor }) }
    const { caller, is_operator } = visitor
    const found = await (is_operator ? listRegisteredSites(db, caller, asked) : listSites(db, caller, asked))
    return sitesPage({ ...visitor, ...found })
  })

  const showNew = async (visitor: Visitor) => newSitePage(visitor)
  get('/console/sites/new', none, showNew)
  const fields = { name: Name, environment: OneOf(['sandbox', 'production']), callback_url: Url }
  post('/console/sites/new', { ...none, fields }, showNew, async (visitor, _, typed) => {
    const callback_url = given(typed.callback_url)
    const body = {
      name: required('name', typed.name),
      environment: typed.environment,
      token_signing: 'HS256',
      is_apart: true,
      ...(callback_url !== undefined && { callback_url }),
    } as const
    const made = await createSite(parts, vetUrl, visitor.caller, body, visitor.from)
    return { page: siteMadePage({ ...visitor, made, sso: parts.ssoUrl() }) }
  })

  const show = async (visitor: Visitor, { params }: { params: { site_id: string } }) => {
    const { caller } = visitor
    const [found, keys] = await Promise.all([
      requireSite(db, caller, params.site_id),
      listKeys(db, caller, params.site_id, { page: 1, per_page: 10 }),
    ])
    return sitePage({ ...visitor, site: found, keys: keys.items })
  }
  get('/console/sites/:site_id', site, show)
  const acts = {
    act: OneOf(['save', 'add_key', 'delete_key']),
    version: Version,
    name: Name,
    callback_url: Url,
    hint: Type.Optional(Type.String({ maxLength: 10 })),
  }
  post('/console/sites/:site_id', { ...site, fields: acts }, show, async (visitor, { params }, typed) => {
    const { caller, from } = visitor
    const { site_id } = params
    if (typed.act === 'add_key') {
      const { site_key } = await addKey(parts, caller, site_id, from)
      return { page: newKeyPage({ ...visitor, site_id, site_key }) }
    }
    if (typed.act === 'delete_key') {
      if (typed.hint === undefined) throw notFound()
      await deleteKey(parts, caller, { site_id, hint: typed.hint }, from)
      return { notice: `The key that ends with ${typed.hint} is refused from now on.` }
    }
    const change = {
      name: required('name', typed.name),
      callback_url: given(typed.callback_url) ?? null,
      ...versionOf(typed.version),
    }
    await changeSite(parts, caller, site_id, change, undefined, from)
    return { notice: 'Saved.' }
  })
}
