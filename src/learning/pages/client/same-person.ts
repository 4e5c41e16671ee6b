import type { Info } from '../api-types.ts'
import { get } from './api.ts'

/**
 * Devices are shared. A page restored from the browser's cache or from another tab reloads if somebody else has
 * signed in since. A visitor who is only signed out may go on watching or writing.
 */
export function staySamePerson(user_id: string | undefined): void {
  const isAnother = async (wasLeft: boolean) => {
    const { user } = await get<Info>('/api/info')
    return user ? user.id !== user_id : wasLeft && user_id !== undefined
  }
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    // After a sign-out, Back must not show the page before the user is known.
    document.body.hidden = true
    isAnother(true).then(
      (isOther) => (isOther ? location.reload() : (document.body.hidden = false)),
      () => location.reload(),
    )
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible') return
    isAnother(false).then(
      (isOther) => isOther && location.reload(),
      () => {},
    )
  })
}
