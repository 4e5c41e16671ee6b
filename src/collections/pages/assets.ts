import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAssets } from '#foundation/web/assets.ts'

const STYLES = 'pages/collections.css'
const ROOT = join(import.meta.dirname, '..')

/** The modules of the pages, their style sheet, and the kit. */
export const assets = createAssets(ROOT, { [STYLES]: readFileSync(join(ROOT, STYLES), 'utf8') })
export { STYLES }
