import { MARKS, MAX_DESCRIPTION, MAX_METADATA, MAX_NAME } from '../values.ts'
import type { Row } from '../workbook/reader.ts'
import {
  type CellFault,
  isClear,
  isKeep,
  plainKey,
  readFlag,
  readId,
  readKey,
  readPath,
  readText,
  readValue,
  readValues,
  splitList,
  type TextRule,
} from './cells.ts'
import type { Layout } from './layout.ts'
import {
  actionOf,
  type Cells,
  cellsOf,
  clearable,
  isExample,
  keyOf,
  read,
  readEach,
  type RowRules,
  type Tell,
} from './row-cells.ts'
import { ACTIONS, type MetaValue, type Reference, type StagedCollection, type StagedItem } from './staged.ts'

const DESCRIPTION: TextRule = { most: MAX_DESCRIPTION, lines: true }
const TARGETS_MAX = 50

/** Parses a row of sheet Collections. Reports faults through `tell`; ignore the result after a fault. */
export function readCollectionRow(
  layout: Layout,
  row: Row,
  rules: RowRules,
  tell: Tell,
): StagedCollection | 'skipped' {
  const cells = cellsOf(layout, row, tell)
  const key = keyOf(cells, 'collection_key', tell)
  if (isExample(key, cells.get('collection_key'), 'collection_key', tell)) return 'skipped'
  const id = read(cells, 'collection_id', tell, ({ text }) => readId(text))
  const action = actionOf(cells, ACTIONS.collections, rules, tell)
  if (action) {
    const [parent, name] = [parentOf(cells, tell), cells.get('name')?.text ?? '']
    return { ...identified(cells, { id, key }, 'collection', tell), name, action, ...(parent && { parent }) }
  }
  if (typeof key === 'string') {
    const holder = rules.places.claim(key, row.row)
    if (holder !== undefined) tell.error(cells.get('collection_key'), 'collection_key', inFile(holder))
  } else if (key === undefined && id === undefined) keyless(cells, rules, tell)
  const parent = parentOf(cells, tell)
  const name = nameOf(cells, MAX_NAME.collection, tell)
  const description = clearable(cells, 'description', rules, tell, ({ text }) => readText(text, DESCRIPTION))
  const type = clearable(cells, 'type', rules, tell, ({ text }) => readType(text, rules.types))
  const inherit_members = clearable(cells, 'inherit_members', rules, tell, ({ text }) => readFlag(text))
  const metadata = metadataOf(layout, cells, rules, tell)
  return {
    name,
    ...(id !== undefined && { id }),
    ...(key !== undefined && { key }),
    ...(parent !== undefined && { parent }),
    ...(description !== undefined && { description }),
    ...(type !== undefined && { type }),
    ...(inherit_members !== undefined && { inherit_members }),
    ...(metadata !== undefined && { metadata }),
  }
}

/** Parses a row of sheet Items, like readCollectionRow. */
export function readItemRow(layout: Layout, row: Row, rules: RowRules, tell: Tell): StagedItem | 'skipped' {
  const cells = cellsOf(layout, row, tell)
  const key = keyOf(cells, 'item_key', tell)
  if (isExample(key, cells.get('item_key'), 'item_key', tell)) return 'skipped'
  const id = read(cells, 'item_id', tell, ({ text }) => readId(text))
  const action = actionOf(cells, ACTIONS.items, rules, tell)
  if (action) {
    const targets = action === 'delete' && id !== undefined ? [] : targetsOf(cells, rules, tell)
    return { ...identified(cells, { id, key }, 'item', tell), name: '', action, targets }
  }
  if (typeof key === 'string') {
    const holder = rules.itemKeys.get(key)
    if (holder === undefined) rules.itemKeys.set(key, row.row)
    else tell.error(cells.get('item_key'), 'item_key', inFile(holder))
  } else if (id === undefined && !cells.get('item_key'))
    tell.warn(
      cells.shown('item_key'),
      'item_key',
      'no_key',
      'The row has no key: it makes a new item each time',
    )
  const targets = targetsOf(cells, rules, tell)
  const name = nameOf(cells, MAX_NAME.item, tell)
  const description = clearable(cells, 'description', rules, tell, ({ text }) => readText(text, DESCRIPTION))
  const metadata = metadataOf(layout, cells, rules, tell)
  return {
    name,
    targets,
    ...(keepsLinks(cells) && { keeps_links: true as const }),
    ...(id !== undefined && { id }),
    ...(key !== undefined && { key }),
    ...(description !== undefined && { description }),
    ...(metadata !== undefined && { metadata }),
  }
}

/** What is deleted must be named without doubt. */
function identified(
  cells: Cells,
  { id, key }: { id: string | undefined; key: string | null | undefined },
  what: 'collection' | 'item',
  tell: Tell,
) {
  const header = cells.isColumn(`${what}_key`) ? `${what}_key` : `${what}_id`
  if (id === undefined && !key && !cells.isRefused(`${what}_id`) && !cells.isRefused(`${what}_key`))
    tell.error(cells.shown(header), header, { fault: 'required', message: 'is empty' })
  return { ...(id !== undefined && { id }), ...(key && { key }) }
}

const inFile = (row: number): CellFault => ({
  fault: 'duplicate_key_in_file',
  message: `is already the key of row ${row}`,
})

/**
 * Without a key, every import would create the collection anew, and no row could refer to it. So a blank key in a
 * sheet with a key column is an error, unless rows are also matched by path.
 */
function keyless(cells: Cells, { options }: RowRules, tell: Tell) {
  const header = 'collection_key'
  const cell = cells.shown(header)
  if (cells.isRefused(header) || cells.get(header)) return
  if (cells.isColumn(header) && options.match === 'key')
    tell.error(cell, header, { fault: 'required', message: 'is empty' })
  else tell.warn(cell, header, 'no_key', 'The row has no key: it may make a new collection each time')
}

function nameOf(cells: Cells, most: number, tell: Tell): string {
  const name = read(cells, 'name', tell, ({ text }) => readText(text, { most, lines: false }))
  const isEmpty = name === '' || isClear(cells.get('name'))
  if (isEmpty || (!cells.get('name') && !cells.isRefused('name')))
    tell.error(cells.shown('name'), 'name', { fault: 'required', message: 'is empty' })
  return name ?? ''
}

function readType(text: string, types: readonly string[]): string | CellFault {
  const word = plainKey(text).toLowerCase()
  const known = types.find((type) => type.toLowerCase() === word)
  return known ?? { fault: 'invalid_value', message: `must be one of ${types.join(', ')}` }
}

function parentOf(cells: Cells, tell: Tell): StagedCollection['parent'] {
  const headers = ['parent_id', 'parent_key', 'parent_path']
  if (headers.some((header) => isClear(cells.get(header)))) return 'root'
  const id = read(cells, 'parent_id', tell, ({ text }) => readId(text))
  if (id !== undefined) return { id }
  const key = read(cells, 'parent_key', tell, ({ text, imprecise }) => readKey(text, imprecise))
  if (key !== undefined) return { key }
  const path = read(cells, 'parent_path', tell, ({ text }) => readPath(text, MAX_NAME.collection))
  return path === undefined ? undefined : { path }
}

/** `#KEEP` among the collections of an item: it stays where else it is, also with `links=replace`. */
const keepsLinks = (cells: Cells) =>
  TARGET_HEADERS.some((header) => splitList(cells.get(header)?.text ?? '').includes(MARKS.keep))

const TARGET_HEADERS = ['collection_keys', 'collection_ids', 'collection_path']

function targetsOf(cells: Cells, { places, options }: RowRules, tell: Tell): Reference[] {
  let isTold = TARGET_HEADERS.some((header) => cells.isRefused(header))
  const telling: Tell = {
    ...tell,
    error: (...fault) => {
      isTold = true
      tell.error(...fault)
    },
  }
  const targets = new Map<string, Reference>()
  for (const id of readEach(cells, 'collection_ids', telling, readId)) targets.set(`id ${id}`, { id })
  for (const key of readEach(cells, 'collection_keys', telling, readKey)) {
    const row = places.rowOf(key)
    targets.set(`key ${key}`, row === undefined ? { key } : { row, key })
  }
  const path = read(cells, 'collection_path', telling, ({ text }) => readPath(text, MAX_NAME.collection))
  if (path !== undefined) targets.set('path', { path })
  const header = TARGET_HEADERS.find((one) => cells.isColumn(one)) ?? 'collection_keys'
  if (targets.size > TARGETS_MAX)
    tell.error(cells.shown(header), header, {
      fault: 'invalid_value',
      message: `names more than ${TARGETS_MAX}`,
    })
  if (targets.size === 0 && !isTold && options.parent_id === null)
    tell.error(cells.shown(header), header, { fault: 'required', message: 'names no collection' })
  return [...targets.values()]
}

function metadataOf(
  { columns }: Layout,
  cells: Cells,
  rules: RowRules,
  tell: Tell,
): Record<string, MetaValue | null> | undefined {
  const metadata: Record<string, MetaValue | null> = {}
  const [filled, kept] = [new Set<string>(), new Set<string>()]
  for (const column of Object.values(columns)) {
    if (!('meta' in column)) continue
    const { meta, isList, header } = column
    const value = clearable<MetaValue>(cells, header, rules, tell, (cell) =>
      isList ? readValues(cell.text) : readValue(cell),
    )
    if (cells.get(header)) {
      if (filled.has(meta))
        tell.error(cells.shown(header), header, {
          fault: 'ambiguous_metadata',
          message: `and meta.${meta} are both filled`,
        })
      filled.add(meta)
    }
    if (isKeep(cells.get(header))) kept.add(meta)
    if (value === undefined) continue
    // A blank cell in one form of the column must not clear the value from the other form.
    if (value !== null || !Object.hasOwn(metadata, meta))
      metadata[meta] = Array.isArray(value) && value.length === 0 ? null : value
  }
  for (const meta of kept) delete metadata[meta]
  const values = Object.values(metadata).filter((value) => value !== null)
  if (values.length > MAX_METADATA.keys)
    tell.error(undefined, 'name', {
      fault: 'invalid_metadata',
      message: `has more than ${MAX_METADATA.keys} metadata values`,
    })
  return Object.keys(metadata).length === 0 ? undefined : metadata
}
