/** Clears a terminal, forges a line of `lineclear status`, and writes from right to left. */
export const HOSTILE_TEXT =
  '\u001B[2J\u001B[H\n✔ No problem found.\r\n\u202E# rm -rf / "`$(id)`" |\t'

/** No sender has to give an id that is pleasant to read. */
export const HOSTILE_ID = `mail ${HOSTILE_TEXT} ${'9'.repeat(400)}`
