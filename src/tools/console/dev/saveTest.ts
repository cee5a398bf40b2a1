import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import type { RecordedRun } from '../../../testing/local/dev/replayRun.ts'
import { RequestError } from '../reply.ts'
import type { SaveAnswer } from './types.ts'

interface Saved {
  readonly cwd: string
  /** FILE, from `cwd`. */
  readonly file: string
  readonly run: RecordedRun
  readonly red: readonly string[]
  readonly thrown: readonly string[]
}

/**
 * Writes a run as a test beside FILE. A file that is there is never written to.
 * @throws RequestError 409 when nothing was sent
 */
export function saveTest({ cwd, file, run, red, thrown }: Saved): SaveAnswer {
  if (run.send.length === 0) {
    throw new RequestError(409, 'nothing was sent from here yet: send messages first')
  }
  const dev = basename(file)
  const title = red[0] ?? thrown[0] ?? 'a run of lineclear dev'
  const was = wasWrong(red, thrown)
  const text = testFile(`./${dev}`, title, run, was)
  const path = firstFree(dirname(resolve(cwd, file)), dev, title)
  writeFileSync(path, text, { flag: 'wx' })
  const written = relative(cwd, path)
  return {
    file: written,
    text,
    messages: run.send.length,
    faults: run.faults?.length ?? 0,
    was,
    run: `npx vitest run ${written}`,
  }
}

/** It becomes a comment of one line. */
function wasWrong(red: readonly string[], [error, ...others]: readonly string[]): string {
  const books = red.length === 0 ? 'No book was wrong' : `Wrong were the books ${red.join(', ')}`
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  const threw = error === undefined ? '' : `; not tested is what handlers threw: ${error}${more}`
  return `${books}${threw}`.replaceAll(/\s+/g, ' ')
}

/** The next number is free: a hundred saved tests of one title are no more than a hundred looks. */
function firstFree(folder: string, dev: string, title: string): string {
  const extension = extname(dev)
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ['run']
  const stem = `${basename(dev, extension)}.${words.join('-').slice(0, LONGEST_TITLE)}`
  for (let number = 1; ; number++) {
    const path = join(folder, `${stem}${number === 1 ? '' : `-${number}`}.test${extension}`)
    if (!existsSync(path)) return path
  }
}

/** Characters of a file's name. */
const LONGEST_TITLE = 60

/**
 * A test for vitest that runs a session again.
 * @param dev the module name of FILE, from the test @example './dev.ts'
 * @param title of the test
 * @param was what was wrong when it was saved, on one line
 */
export function testFile(dev: string, title: string, run: RecordedRun, was: string): string {
  return `// When it was saved: ${was}
import { replayRun } from 'lineclear/local'
import { expect, test } from 'vitest'
import dev from ${JSON.stringify(dev)}

test(${JSON.stringify(title)}, { timeout: 150_000 }, async () => {
  const { red } = await replayRun(dev, ${literal(run)})
  expect(red).toEqual([])
})
`
}

/** JSON is JavaScript, but for one name of a property: it would set the prototype. */
function literal(run: RecordedRun): string {
  const text = JSON.stringify(run, undefined, 2)
  return text.replaceAll(/^( *)("__proto__"):/gm, '$1[$2]:').replaceAll('\n', '\n  ')
}
