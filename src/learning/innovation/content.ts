import type { Lane } from '#foundation/database/database.ts'
import { answerFindings } from './answers.ts'
import { describingFindings } from './describing.ts'
import type { Finding } from '../finding.ts'
import { mediaFindings } from './media.ts'
import { watchingFindings } from './watching.ts'
import { workFindings } from './work.ts'

/** All findings of the content agent about these channels, computed without a model. */
export async function contentFindings(
  sql: Lane,
  tenant_id: string,
  channel_ids: string[],
): Promise<Finding[]> {
  const found = await Promise.all(
    [describingFindings, mediaFindings, workFindings, answerFindings, watchingFindings].map((find) =>
      find(sql, tenant_id, channel_ids),
    ),
  )
  return found.flat()
}
