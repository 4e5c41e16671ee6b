import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { purposesOf } from '#testing/contract.ts'

/** `npm run purposes`: what the documents say each route is for, for /docs and the OpenAPI descriptions. */
const file = join(import.meta.dirname, '../src/foundation/reference/purposes.json')
writeFileSync(file, `${JSON.stringify(purposesOf(), null, 2)}\n`)
