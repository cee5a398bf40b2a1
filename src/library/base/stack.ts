import { isError, isSyntaxError, messageOf } from './errors.ts'

/** Characters of one `stack` in the log. */
const MOST = 4_000

/** Errors that are looked at: the one that was thrown, and those inside it. */
const MOST_ERRORS = 8

/** The most errors that are shown of an AggregateError. */
const MOST_PARTS = 3

/** Characters of a cause's text. */
const LONGEST_CAUSE = 200

/** The lines of a stack that name a file. The message, which the stack repeats, is dropped. */
const FRAMES = /^ +at .*:\d+:\d+\)?$/gm

/** An error, as far as its stack is concerned. Its getters may throw. */
interface Thrown extends Error {
  readonly errors?: readonly unknown[]
}

/**
 * Where an error comes from: its frames, and its causes with theirs, a line each. The text of the error itself is not repeated.
 * Empty for a text or an object that was thrown.
 */
export function stackOf(error: unknown): string {
  const lines: string[] = []
  const seen = new Set<unknown>([undefined])
  const add = (thrown: unknown): void => {
    if (seen.has(thrown) || seen.size > MOST_ERRORS) return
    seen.add(thrown)
    const text = isSyntaxError(thrown) ? thrown.name : messageOf(thrown)
    if (thrown !== error)
      lines.push(`caused by ${text.slice(0, LONGEST_CAUSE).replace(/\s+/g, ' ')}`)
    if (!isError(thrown)) return
    const { stack = '', cause, errors = [] }: Thrown = thrown
    for (const frame of stack.slice(0, 2 * MOST).match(FRAMES) ?? []) lines.push(frame.trim())
    for (const inner of [...errors.slice(0, MOST_PARTS), cause]) add(inner)
  }
  try {
    add(error)
  } catch {
    // What was read before the getter threw is right.
  }
  return lines.join('\n').slice(0, MOST).toWellFormed()
}

/** Frames in the code of the function. */
const FRAMES_KEPT = 2

/** Characters, for a message. A token takes less. */
const LONGEST_SHORT = 600

/** For messages and the table: the first frames outside packages and Node.js, and the causes without theirs. */
export function shortStack(stack: string): string {
  let frames = 0
  const lines = stack
    .split('\n')
    .filter(
      (line) =>
        !line.startsWith('at ') || (!/node(:|_modules)/.test(line) && (frames += 1) <= FRAMES_KEPT),
    )
  return lines.join('\n').slice(0, LONGEST_SHORT).toWellFormed()
}
