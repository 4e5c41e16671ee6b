/*
 * Runs before the first paint, as a plain script without imports or exports. Unless the visitor has chosen a theme, the
 * page follows the system.
 */
{
  let kept: string | null = null
  try {
    kept = localStorage.getItem('lyceum.theme')
  } catch {
    // Storage may be forbidden.
  }
  // A module that does not arrive leaves the page empty, and no script of the page could say so.
  addEventListener(
    'error',
    ({ target }) => {
      if (!(target instanceof HTMLScriptElement) || target.type !== 'module') return
      const show = () => document.querySelector('#lost')?.removeAttribute('hidden')
      if (document.readyState === 'loading') addEventListener('DOMContentLoaded', show)
      else show()
    },
    true,
  )
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset['theme'] = kept
}
