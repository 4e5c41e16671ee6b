/** What a page shows of a valid feed. */
export type CheckedFeed = {
  title: string
  items: { title: string; attachments: number; published: string }[]
}

const TOP = [
  'version',
  'title',
  'home_page_url',
  'feed_url',
  'description',
  'user_comment',
  'next_url',
  'icon',
  'favicon',
  'authors',
  'language',
  'expired',
  'hubs',
  'items',
]
const ITEM = [
  'id',
  'url',
  'external_url',
  'title',
  'content_html',
  'content_text',
  'summary',
  'image',
  'banner_image',
  'date_published',
  'date_modified',
  'authors',
  'tags',
  'language',
  'attachments',
]
const ATTACHMENT = ['url', 'mime_type', 'title', 'size_in_bytes', 'duration_in_seconds']
const URLS = [
  'home_page_url',
  'feed_url',
  'next_url',
  'icon',
  'favicon',
  'url',
  'external_url',
  'image',
  'banner_image',
]

/**
 * Checks a value against JSON Feed 1.1 (jsonfeed.org/version/1.1). `faults` is empty for a valid feed; each fault
 * starts with its place, such as `items[3].url`.
 */
export function checkFeed(value: unknown): { faults: string[]; feed: CheckedFeed } {
  const faults: string[] = []
  const feed = objectOf(value)
  if (feed['version'] !== 'https://jsonfeed.org/version/1.1')
    faults.push('version is not https://jsonfeed.org/version/1.1')
  if (typeof feed['title'] !== 'string') faults.push('title is missing')
  faults.push(...strangers(feed, TOP, ''), ...badUrls(feed, ''))
  if (!Array.isArray(feed['items'])) faults.push('items is missing')
  const items = listOf(feed['items'])
  const ids = new Set<unknown>()
  for (const [index, item] of items.entries()) {
    const place = `items[${index}].`
    if (typeof item['id'] !== 'string' || item['id'] === '') faults.push(`${place}id is missing`)
    else if (ids.has(item['id'])) faults.push(`${place}id stands twice`)
    ids.add(item['id'])
    if (typeof item['content_text'] !== 'string' && typeof item['content_html'] !== 'string')
      faults.push(`${place}content_text is missing`)
    for (const name of ['date_published', 'date_modified'])
      if (item[name] !== undefined && !isTime(item[name]))
        faults.push(`${place}${name} is no time (RFC 3339)`)
    faults.push(...strangers(item, ITEM, place), ...badUrls(item, place), ...attachmentFaults(item, place))
  }
  return { faults, feed: { title: textOf(feed['title']), items: items.map(shown) } }
}

type Fields = Record<string, unknown>

const objectOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(objectOf) : [])
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
const isTime = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))

/** Unknown members. Extensions start with an underscore and are allowed. */
const strangers = (fields: Fields, known: string[], place: string) =>
  Object.keys(fields)
    .filter((name) => !name.startsWith('_') && !known.includes(name))
    .map((name) => `${place}${name} is no member of JSON Feed 1.1`)

const badUrls = (fields: Fields, place: string) =>
  URLS.filter((name) => fields[name] !== undefined && !/^https?:\/\/./.test(textOf(fields[name]))).map(
    (name) => `${place}${name} is no absolute address`,
  )

const attachmentFaults = (item: Fields, place: string) =>
  listOf(item['attachments']).flatMap((attachment, index) => {
    const at = `${place}attachments[${index}].`
    const missing = ['url', 'mime_type'].filter((name) => typeof attachment[name] !== 'string')
    return [
      ...missing.map((name) => `${at}${name} is missing`),
      ...strangers(attachment, ATTACHMENT, at),
      ...badUrls(attachment, at),
    ]
  })

const shown = (item: Fields) => ({
  title: textOf(item['title']),
  attachments: listOf(item['attachments']).length,
  published: textOf(item['date_published']),
})
