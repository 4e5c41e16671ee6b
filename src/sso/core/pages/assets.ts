import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAssets } from '#foundation/web/assets.ts'

const FOLDER = join(import.meta.dirname, 'assets')
const texts = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')] as const)

/** Styles and scripts of the hosted pages, the modules of the live ones, and the kit. */
export const assets = createAssets(join(import.meta.dirname, '../..'), Object.fromEntries(texts))
