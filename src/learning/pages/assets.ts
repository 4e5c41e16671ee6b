import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAssets } from '#foundation/web/assets.ts'
import words from './words.json' with { type: 'json' }

const PAGES = import.meta.dirname
const HLS = join(dirname(fileURLToPath(import.meta.resolve('hls.js'))), 'hls.light.min.mjs')
const KATEX = join(dirname(fileURLToPath(import.meta.resolve('katex'))), 'katex.min.js')

const read = (path: string) => readFileSync(join(PAGES, path), 'utf8')
const namesIn = (folder: string) => readdirSync(join(PAGES, folder)).toSorted()

/** Without comments and indents. */
const bareStyles = (css: string) =>
  css
    .split('/*')
    .map((part, place) => (place === 0 ? part : part.slice(part.indexOf('*/') + 2)))
    .join('')
    .split('\n')
    .map((line) => line.trimStart())
    .filter((line) => line !== '')
    .join('\n')

export const assets = createAssets(
  join(PAGES, '..'),
  {
    // One stylesheet. File names define the order; comments and indents are for those who write it.
    'pages/lyceum.css': namesIn('styles')
      .map((name) => bareStyles(read(`styles/${name}`)))
      .join('\n'),
    'pages/certificate.css': read('certificate.css'),
    'pages/icon.svg': read('icon.svg'),
    'pages/katex.js': readFileSync(KATEX, 'utf8'),
    'pages/hls.mjs': readFileSync(HLS, 'utf8').replace('//# sourceMappingURL=', '// '),
  },
  [JSON.stringify(words)],
)
export const { addressOf } = assets

/** The module of a page and all its static imports, the page first. */
export const modulesOf = (page: string): string[] => assets.modulesOf(`pages/client/${page}.ts`)
