/*
 * Runs before anything is drawn, as a plain script: no imports, no exports. Without a choice of the visitor the page
 * follows the system.
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
