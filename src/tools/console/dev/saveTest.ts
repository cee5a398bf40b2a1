import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative } from 'node:path'
import type { RecordedRun } from '../../../testing/local/dev/replayRun.ts'
import { flagIn, readFields, textIn } from './readBody.ts'
import { RequestError } from '../reply.ts'
import type { SaveAnswer } from './types.ts'

type SavedTest = Omit<SaveAnswer, 'version' | 'at'>

const NAME = /^[A-Za-z0-9][\w.-]{0,100}\.test\.[cm]?[jt]s$/

/**
 * Writes a session as a test beside FILE, and says in it how it ends. A file that is there is never written to.
 * @param title of the test, and the name of its file if the body gives none
 * @throws RequestError 400 for a wrong name, 409 when the file exists, or nothing was sent
 */
export async function saveTest(
  body: unknown,
  {
    cwd,
    file,
    title,
    run,
    check,
  }: {
    readonly cwd: string
    readonly file: string
    readonly title: string
    readonly run: RecordedRun
    readonly check: () => Promise<string>
  },
): Promise<SavedTest> {
  const { name, write = true } = readFields(body, ['name', 'write'])
  const isWritten = flagIn('write', write)
  if (run.send.length === 0) {
    throw new RequestError(409, 'nothing was sent from here yet: send messages first')
  }
  const dev = basename(file)
  const text = testFile(`./${dev}`, title, run)
  const folder = dirname(join(cwd, file))
  const path = name === undefined ? firstFree(folder, dev, title) : join(folder, checkedName(name))
  if (isWritten) writeNew(path, text)
  const written = relative(cwd, path)
  // It is there before it is run, which can take as long as messages are hidden.
  const verdict = isWritten ? await check() : undefined
  const noted = testFile(`./${dev}`, title, run, verdict)
  if (isWritten) replaceOwn(path, text, noted)
  return {
    file: written,
    text: noted,
    written: isWritten,
    ...(verdict !== undefined && { verdict }),
    messages: run.send.length,
    faults: run.faults?.length ?? 0,
    run: `npx vitest run ${written}`,
  }
}

function checkedName(value: unknown): string {
  const name = textIn('name', value)
  if (NAME.test(name)) return name
  throw new RequestError(400, 'name: expected a file name such as orders.test.ts, without a folder')
}

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    throw new RequestError(
      409,
      `${basename(path)} exists, and is not written to: give another name`,
    )
  }
}

/** The user may have edited or deleted it while it ran. */
function replaceOwn(path: string, before: string, after: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === before) writeFileSync(path, after)
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
 * @param verdict how it ended when it was saved, on one line
 */
export function testFile(dev: string, title: string, run: RecordedRun, verdict?: string): string {
  const note = verdict === undefined ? '' : `// When it was saved: ${verdict}\n`
  return `${note}import { replayRun } from 'lineclear/local'
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
