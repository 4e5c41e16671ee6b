import { pino } from 'pino'
import { startBackfills } from '#foundation/database/backfills.ts'
import { openDatabase } from '#foundation/database/database.ts'

const [, , url] = process.argv
if (import.meta.main && url) startBackfills(openDatabase({ url, poolSize: 2 }), pino({ level: 'silent' }))
