/** Whether a page of this origin sent the request, or no page at all. Browsers say so, and pages cannot change what they say. */
export function isOfOwnPage(
  read: (name: string) => string | null | undefined,
  origin: string | undefined,
): boolean {
  const from = read('sec-fetch-site')
  if (from) return from === 'same-origin' || from === 'none'
  const sender = read('origin')
  return !sender || origin === undefined || sender === origin
}
