import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative } from 'node:path'
import type { RecordedRun } from '../../../testing/local/dev/replayRun.ts'
import { RequestError } from '../reply.ts'
import type { SaveAnswer } from './types.ts'

interface Saved {
  readonly cwd: string
  /** FILE, from `cwd`. */
  readonly file: string
  readonly run: RecordedRun
  /** The books that are red in the run. */
  readonly red: readonly string[]
  /** What its handlers threw. */
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
  const path = firstFree(dirname(join(cwd, file)), dev, title)
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
import dev from ${quoted(dev)}

test(${quoted(title)}, { timeout: 150_000 }, async () => {
  const { red } = await replayRun(dev, ${literal(run, '  ')})
  expect(red).toEqual([])
})
`
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

const WIDE = 96

/** Like JSON, in the style of code: short things on one line. */
function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((each) => literal(each, inner))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([name, each]) => `${nameOf(name)}: ${literal(each, inner)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return `${open}${close}`
  const space = Array.isArray(value) ? '' : ' '
  const line = `${open}${space}${parts.join(', ')}${space}${close}`
  if (line.length + indent.length <= WIDE && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

/** A property of this name would set the prototype. */
function nameOf(name: string): string {
  if (name === '__proto__') return "['__proto__']"
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}
