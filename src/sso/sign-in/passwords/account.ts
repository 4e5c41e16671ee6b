import type { Tx } from '#foundation/database/database.ts'
import { foldEmail } from '#foundation/text.ts'

export type Account = { user_id: string; email: string; is_proven: boolean }

/** Locks the active person with this address; undefined if there is none. */
export async function lockAccount(
  tx: Tx,
  environment: 'sandbox' | 'production',
  email: string,
): Promise<Account | undefined> {
  const [account] = await tx<Account[]>`
    select user_id, email, email_proven_at is not null as is_proven from sso.users
     where environment = ${environment} and email_fold = ${foldEmail(email)} and status = 'active'
       for no key update`
  return account
}
