/** Saves a text as a file of the browser. It leaves no trace on the server. */
export function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(url), KEPT)
}

/** Milliseconds. */
const KEPT = 10_000

/** A foreign id as the name of a file: without paths, hidden names and characters that a file system or a person misreads. */
export function fileName(id: string): string {
  const plain = id.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|-+$/g, '')
  return `${plain.slice(0, 80) || 'request'}.json`
}
