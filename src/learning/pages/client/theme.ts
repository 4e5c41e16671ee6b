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
  if (kept === 'light' || kept === 'dark') document.documentElement.dataset['theme'] = kept
}
