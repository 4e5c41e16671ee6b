/** Offers a text as a file download. `type` is its media type. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Revoked after the click, because the download has started by then.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
