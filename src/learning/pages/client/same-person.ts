import type { Info } from '../api-types.ts'
import { get } from './api.ts'

/**
 * Devices are shared. A page that comes back, out of the browser's memory or from behind another tab, belongs to whoever
 * is signed in by then: it is loaded anew for somebody else. Who is merely signed out goes on watching or writing.
 */
export function staySamePerson(user_id: string | undefined): void {
  const isAnother = async (wasLeft: boolean) => {
    const { user } = await get<Info>('/api/info')
    return user ? user.id !== user_id : wasLeft && user_id !== undefined
  }
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    // Going back after signing out: nothing is shown before it is known for whom.
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
