import { type ColumnDesign, type SheetDesign, type Value, writeWorkbookInWorker } from '../workbook/writer.ts'

/** A metadata key in use: its column header, and whether it holds text. */
export type MetadataColumn = { header: string; is_text: boolean }
export type MetadataColumns = { collections: MetadataColumn[]; items: MetadataColumn[] }

const EXAMPLES: MetadataColumns = {
  collections: [{ header: 'meta.place', is_text: true }],
  items: [
    { header: 'meta.year', is_text: false },
    { header: 'meta.tags[]', is_text: true },
  ],
}

/** The most rows and cells formatted for input. More would make the file larger than 200 KB. */
const TYPED_ROWS = 5_000
const TYPED_CELLS = 60_000

/**
 * A workbook to fill in: headers, three example rows per sheet, formats, lists and the rules. The import skips the
 * example rows. `metadata`: the columns in use at the target.
 */
export function buildTemplate(types: readonly string[], metadata?: MetadataColumns): Promise<Buffer> {
  const { collections, items } = metadata ?? EXAMPLES
  const isExample = metadata === undefined
  const sheets = [collectionsSheet(types, collections), itemsSheet(items)]
  const cells = sheets.flatMap((columns) => columns).filter(({ is_text, list }) => is_text || list).length
  const empty_rows = Math.min(TYPED_ROWS, Math.floor(TYPED_CELLS / cells)) - 3
  const [first = [], second = []] = sheets
  return writeWorkbookInWorker([
    { design: design('Collections', first, empty_rows), rows: COLLECTIONS(isExample).map(padTo(first)) },
    { design: design('Items', second, empty_rows), rows: ITEMS(isExample).map(padTo(second)) },
    {
      design: { name: 'Read me', columns: [TITLE], empty_rows: 0 },
      rows: RULES(types).map((line) => [line]),
    },
  ])
}

const design = (name: string, columns: ColumnDesign[], empty_rows: number): SheetDesign => ({
  name,
  columns,
  empty_rows,
})

const text = (header: string, width: number): ColumnDesign => ({ header, width, is_text: true })
const metaColumn = ({ header, is_text }: MetadataColumn): ColumnDesign => ({ header, width: 20, is_text })

const collectionsSheet = (types: readonly string[], metadata: MetadataColumn[]): ColumnDesign[] => [
  text('collection_key', 22),
  text('parent_key', 22),
  text('name*', 40),
  text('description', 50),
  { header: 'type', width: 14, is_text: false, list: types },
  { header: 'inherit_members', width: 16, is_text: false, list: ['TRUE', 'FALSE'] },
  ...metadata.map(metaColumn),
]

const itemsSheet = (metadata: MetadataColumn[]): ColumnDesign[] => [
  text('item_key', 22),
  text('collection_keys*', 40),
  text('name*', 40),
  text('description', 50),
  ...metadata.map(metaColumn),
]

const COLLECTIONS = (withMetadata: boolean): Value[][] => [
  [
    'EXAMPLE-museum',
    null,
    'Museum',
    'A collection of its own: parent_key is empty',
    null,
    true,
    ...(withMetadata ? ['Lisbon'] : []),
  ],
  [
    'EXAMPLE-paintings',
    'EXAMPLE-museum',
    'Paintings',
    'Stands below the collection with that key',
    null,
    true,
  ],
  ['EXAMPLE-depot', 'EXAMPLE-museum', 'Depot', 'Members of the museum do not see this one', null, false],
]

const ITEMS = (withMetadata: boolean): Value[][] => [
  [
    'EXAMPLE-007',
    'EXAMPLE-paintings',
    'Harbour at dawn',
    'Oil on canvas',
    ...(withMetadata ? [1871, 'sea; morning'] : []),
  ],
  ['EXAMPLE-008', 'EXAMPLE-paintings; EXAMPLE-depot', 'Sketchbook', 'In two collections at once'],
  ['EXAMPLE-009', 'EXAMPLE-museum', 'Marble head', null, ...(withMetadata ? [null, 'marble'] : [])],
]

const padTo = (columns: readonly ColumnDesign[]) => (row: Value[]) =>
  columns.map((_, index) => row[index] ?? null)

const TITLE = text('How to fill in this workbook', 110)

const RULES = (types: readonly string[]): string[] => [
  'template_version=1',
  'Rows whose key begins with EXAMPLE- are passed over. Delete them or leave them.',
  'Columns with * are required. Columns may stand in any order and may be left out; do not rename the sheets.',
  'collection_key and item_key: your own numbers or names, up to 128 characters. A row whose key exists is updated, any other is created.',
  'parent_key: the key of the collection above, in this workbook or there already. Empty: the collection stands at the top.',
  'collection_keys: where the item belongs, up to 50 keys with ; between them.',
  'name: up to 200 characters for collections, 300 for items. description: up to 5,000.',
  `type: one of ${types.join(', ')}. Empty: ${types[0] ?? ''}.`,
  'inherit_members: TRUE lets the members of the collections above in, FALSE keeps them out.',
  'meta.<key>: one value of your own, for example meta.year. meta.<key>[]: several texts with ; between them. Keys are a-z, 0-9, _ . -',
  'An empty cell leaves what is there. #CLEAR empties it.',
  'Up to 100,000 rows, 256 columns and 20 MB. Formulas count with the result that was saved; nothing is calculated.',
]
