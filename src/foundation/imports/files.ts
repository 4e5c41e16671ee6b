import { createReadStream } from 'node:fs'
import type { Database, Tx } from '../database/database.ts'
import type { Imports } from './imports.ts'

/** Chunk size in bytes for reading and storing a file, so that neither the program nor the database holds it whole. */
const PIECE = 262_144

export const piecesOf = (path: string): AsyncIterable<Buffer> =>
  createReadStream(path, { highWaterMark: PIECE })

/** Stores an uploaded file with its import, so that any process can read it, also after a crash. */
export async function keepFile(tx: Tx, { files }: Imports, job_id: string, path: string): Promise<void> {
  let place = 0
  for await (const content of piecesOf(path))
    await tx`insert into ${tx(files)} (job_id, place, content) values (${job_id}, ${place++}, ${content})`
}

export async function* readFile({ pool }: Database, { files }: Imports, job_id: string) {
  for (let place = 0; ; place++) {
    const [piece] = await pool<{ content: Buffer }[]>`
      select content from ${pool(files)} where job_id = ${job_id} and place = ${place}`
    if (!piece) return
    yield piece.content
  }
}
