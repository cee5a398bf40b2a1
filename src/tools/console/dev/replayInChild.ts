import { resolve } from 'node:path'
import { messageOf } from '../../../base/errors.ts'
import type { RecordedRun } from '../../../testing/local/dev/replayRun.ts'
import { forkChild } from './forkChild.ts'

interface ReplayOptions {
  readonly cwd: string
  /** FILE, from `cwd`. */
  readonly file: string
  readonly run: RecordedRun
  /** The books that are red in the run. */
  readonly red: readonly string[]
  /** What its handlers threw. */
  readonly thrown: readonly string[]
}

/** Replays a run in a process of its own, with the handlers as their files are now. @returns in a sentence how it ended */
export async function replayInChild({
  cwd,
  file,
  run,
  red,
  thrown,
}: ReplayOptions): Promise<string> {
  const died = Promise.withResolvers<never>()
  // A process that ends after its answer is no failure.
  died.promise.catch(() => {})
  const child = forkChild(
    cwd,
    IGNORES,
    () => {},
    (how) => died.reject(new Error(`its process ended (${how})`)),
  )
  try {
    const asked = child.peer.ask('replay', { file: resolve(cwd, file), run })
    return verdictOf({ red, thrown }, await Promise.race([asked.then(ended), died.promise]))
  } catch (error) {
    return verdictOf({ red, thrown }, { error: messageOf(error) })
  } finally {
    await child.kill()
  }
}

function ended(red: readonly string[]): Replayed {
  return { red }
}

/** The run that is recorded hears nothing of its replay. */
const IGNORES = {
  loaded: () => {},
  described: () => {},
  ready: () => {},
  failed: () => {},
  event: () => {},
  calls: () => [],
}

/** How a replay ended: a line for each finding, or why it has not ended. */
type Replayed = { readonly red: readonly string[] } | { readonly error: string }

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
