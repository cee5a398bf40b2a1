import type { Letter } from './answers.ts'

/** Those of the last list: to open one of them costs nothing. */
const seen = new Map<string, Letter>()

export function keepSeen(letters: readonly Letter[]): void {
  seen.clear()
  for (const letter of letters) seen.set(letter.messageId, letter)
}

/** @param id its SQS message id */
export function seenLetter(id: string): Letter | undefined {
  return seen.get(id)
}
