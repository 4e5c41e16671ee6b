import { sizeOf } from '#foundation/backup/parts.ts'
import { readBackup } from '#foundation/backup/read.ts'
import { openBackup } from '#foundation/backup/sealed-file.ts'
import { takeConfig } from '#foundation/settings/config.ts'
import { fileOf, FILES, passphraseOf } from './backup-file.ts'
import { MIGRATIONS } from './database.ts'

export const usage = `npm start -- verify FILE
Reads a backup to its end without a database: whether it is whole, opens with BACKUP_PASSPHRASE, and fits this version.`

export async function run(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const path = fileOf(args, usage)
  const passphrase = passphraseOf(takeConfig(env))
  const file = await openBackup(path)
  try {
    let rows = 0
    const table = async (_: string, bytes: Parameters<typeof sizeOf>[0]) =>
      (rows += (await sizeOf(bytes)).lines)
    const given = { path, passphrase, sources: MIGRATIONS, files: FILES }
    const { version, created_at, tables } = await readBackup(file, given, { table })
    console.log(
      `${path} is whole: ${rows} rows of ${tables.length} tables as of ${created_at}, made by Lyceum ${version}`,
    )
  } finally {
    await file.close()
  }
}
