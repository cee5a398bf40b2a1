import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIVES } from './lives.ts'
import { type Left, type Library, openWorld } from './world.ts'

/** The sources of this checkout. */
export async function loadLibrary(): Promise<Library> {
  const [main, testing] = await Promise.all([
    import('../../../src/library/index.ts'),
    import('../../../src/testing/index.ts'),
  ])
  return { ...main, ...testing }
}

/** What a version stores and sends in each life, up to where the other one takes over. */
export async function beginAll(library: Library): Promise<Readonly<Record<string, Left>>> {
  const all: Record<string, Left> = {}
  for (const [name, { begin }] of Object.entries(LIVES)) {
    const world = await openWorld(library)
    await begin(library, world)
    all[name] = world.left()
  }
  return all
}

/** What comes of it when a version goes on with what was left. */
export async function endAll(
  library: Library,
  left: Readonly<Record<string, Left>>,
  lives: readonly string[] = Object.keys(LIVES),
): Promise<Readonly<Record<string, unknown>>> {
  const all: Record<string, unknown> = {}
  for (const [name, { end }] of Object.entries(LIVES))
    if (lives.includes(name)) all[name] = await end(library, await openWorld(library, left[name]))
  return all
}

/** What this version left, as it was written down. */
export function recorded(): Readonly<Record<string, Left>> {
  const file = join(import.meta.dirname, 'present.snap')
  return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Left>>
}

/** What each life comes to: what came back, outside calls, effects, and where messages wait. None is made again. */
export const ENDS: Readonly<Record<string, unknown>> = {
  'a record waits for its retry': [0, [], ['mail']],
  'a record is dead': [0, [], ['mail']],
  'a record is complete, and its message waits in the table': [0, [], ['mail', 'mail']],
  'a run waits for an answer': [1, ['pay'], ['questions']],
  'a run is in its last stage': [1, ['pay'], ['questions']],
  'a run is dead': [1, [], ['questions']],
  'a run is complete': [undefined, [], ['questions']],
  'a call has its answer': [{ receipt: 1 }, []],
}
