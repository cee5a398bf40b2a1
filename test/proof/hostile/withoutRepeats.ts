import { mode } from './mode.ts'

const { kill = 0 } = mode.faults

/** What handlers recorded in this process. One that is killed runs again and records the same again: that counts once. */
export function withoutRepeats<Note>(notes: readonly Note[]): readonly Note[] {
  if (kill === 0 && !mode.killsAtEachCall) return notes
  const texts = notes.map((note) => JSON.stringify(note))
  return notes.filter((_, index) => texts.indexOf(texts[index] ?? '') === index)
}
