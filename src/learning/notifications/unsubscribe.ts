import type { MasterKeys } from '#foundation/security/secrets.ts'
import { type Kind, KINDS } from './notify.ts'

/** Whose mail of which kind the link in it ends. */
export type Subscription = { tenant_id: string; user_id: string; kind: Kind }
export type Unsubscribe = ReturnType<typeof createUnsubscribe>

const CONTEXT = 'learning/unsubscribe'

/** Links that end mails without a sign-in. They are sealed, so nobody can make one or read whom it is for. */
export function createUnsubscribe(keys: Pick<MasterKeys, 'seal' | 'open'>) {
  return {
    pathFor: ({ tenant_id, user_id, kind }: Subscription): string => {
      const sealed = keys.seal(Buffer.from(JSON.stringify([tenant_id, user_id, kind])), CONTEXT)
      return `/unsubscribe?token=${sealed.toString('base64url')}`
    },
    /** Undefined for a token that we did not make, or whose key is gone. */
    read(token: string): Subscription | undefined {
      try {
        const opened = keys.open(Buffer.from(token, 'base64url'), CONTEXT).toString()
        const [tenant_id = '', user_id = '', kind] = JSON.parse(opened) as string[]
        const known = KINDS.find((one) => one === kind)
        return known && { tenant_id, user_id, kind: known }
      } catch {
        return undefined
      }
    },
  }
}
