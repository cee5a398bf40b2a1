/** How a replay ended: a line for each finding, or why it has not ended. */
export type Replayed = { readonly red: readonly string[] } | { readonly error: string }

interface Ran {
  readonly red: readonly string[]
  readonly thrown: readonly string[]
}

/**
 * Whether a saved test does what its run did, in a sentence.
 * @param run its books that were red, and what its handlers threw
 */
export function verdictOf({ red: books, thrown }: Ran, replayed: Replayed): string {
  if ('error' in replayed) return `could not be run: ${oneLine(replayed.error)}`
  const { red } = replayed
  const [first] = red
  const same = red.find((line) => books.some((book) => line.startsWith(`${book}:`)))
  if (same !== undefined) return `fails as the run did: ${oneLine(same)}`
  if (first !== undefined) {
    const was = books.length === 0 ? 'the run was right' : `the run had broken ${books.join(', ')}`
    return `does not reproduce: ${was}, and it fails with: ${oneLine(first)}`
  }
  const [error, ...others] = thrown
  if (books.length === 0 && error !== undefined) {
    const more = others.length === 0 ? '' : `, and ${others.length} more`
    return `passes, because no book was red: what handlers threw is not tested: ${oneLine(error)}${more}`
  }
  if (books.length === 0) return 'passes: the run was right'
  return `does not reproduce: the run had broken ${books.join(', ')}, and it passes. The handlers may have changed since, or it was a matter of timing, which is not replayed.`
}

/** It becomes a comment of one line. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
