import { resolve } from 'node:path'
import { messageOf } from '../../../base/errors.ts'
import type { RecordedRun } from '../../../testing/local/dev/replayRun.ts'
import { forkChild } from './forkChild.ts'
import { type Replayed, verdictOf } from './verdict.ts'

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
