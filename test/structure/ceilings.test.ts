import { globSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { documents } from '../documents/readme/documents.ts'

const SRC = resolve(import.meta.dirname, '../../src')
/** What tests use, and what an operator or a developer runs: all else is bundled into a Lambda. */
const NOT_RUNTIME: readonly string[] = ['testing', 'tools']

/** They only fall: a change that passes one of them makes the house larger, and one that stays well below lowers the figure here. */
const MOST = {
  'entries of src': 16,
  'rooms of the runtime': 12,
  'files of the runtime': 309,
  'lines of the runtime': 38_096,
  'lines of the longest file of the runtime': 312,
  'files of the tools': 325,
  'lines of the tools': 37_557,
  'files of testing': 111,
  'lines of testing': 14_642,
  // All but the changelog, with their code.
  'words of the documents': 29_960,
}
const SLACK = 0.03

const linesOf = (file: string): number =>
  readFileSync(resolve(SRC, file), 'utf8').split('\n').length - 1

function countIn(rooms: readonly string[]): { files: number; lines: number; longest: number } {
  const files = rooms.flatMap((room) => globSync(`${room}/**/*.{ts,tsx}`, { cwd: SRC }))
  const lines = files.map(linesOf)
  return {
    files: files.length,
    lines: lines.reduce((sum, each) => sum + each, 0),
    longest: Math.max(...lines),
  }
}

const words = documents
  .filter(({ path }) => path !== 'CHANGELOG.md')
  .reduce((sum, { text }) => sum + text.trim().split(/\s+/).length, 0)

const folders = readdirSync(SRC, { withFileTypes: true }).filter((each) => each.isDirectory())
const rooms = folders.map(({ name }) => name).filter((name) => !NOT_RUNTIME.includes(name))
const [runtime, tools, testing] = [countIn(rooms), countIn(['tools']), countIn(['testing'])]

it.each(
  Object.entries<number>({
    'entries of src': readdirSync(SRC).length,
    'rooms of the runtime': rooms.length,
    'files of the runtime': runtime.files,
    'lines of the runtime': runtime.lines,
    'lines of the longest file of the runtime': runtime.longest,
    'files of the tools': tools.files,
    'lines of the tools': tools.lines,
    'files of testing': testing.files,
    'lines of testing': testing.lines,
    'words of the documents': words,
  } satisfies typeof MOST),
)('%s: %i, which is not more than it was', (what, count) => {
  const most = MOST[what as keyof typeof MOST]
  const advice =
    'join what is one idea, or delete; if it has to grow, raise MOST and say why in the commit'
  expect(count, `${what}: ${count}, at most ${most}: ${advice}`).toBeLessThanOrEqual(most)
  const lowest = Math.floor(most * (1 - SLACK)) - 1
  expect(count, `${what}: only ${count}. Lower MOST, so that it stays.`).toBeGreaterThanOrEqual(
    lowest,
  )
})
