import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkStructure } from './checkStructure.ts'

const SRC = resolve(import.meta.dirname, '../../src')
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
const src = new Map(
  files
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => [file, readFileSync(join(SRC, file), 'utf8')]),
)

const BROKEN =
  'The rules stand in test/structure/rooms.ts: move what both need upwards, hand it in, or (for a new folder) add its room there and in src/README.md'

const before = checkStructure(src)

/** What the check finds in addition when these files are in `src` too. */
function planted(files: Readonly<Record<string, string>>): string[] {
  const found = checkStructure(new Map([...src, ...Object.entries(files)]))
  return found.filter((each) => !before.includes(each))
}

describe('the source', () => {
  it('keeps the rules of the list of rooms', () => {
    expect(before, BROKEN).toEqual([])
  })
})

describe('the check turns red for', () => {
  it.each([
    ['of a value', "import { defineFlow } from '../flow/defineFlow.ts'"],
    ['of a type', "import type { Flow } from '../flow/flowDefinition.ts'"],
    ['that re-exports', "export * from '../flow/flowDefinition.ts'"],
    [
      'of a type in place',
      "export type Flow = import('../flow/flowDefinition.ts').Flow<never, never>",
    ],
    ['when it runs', "export const flow = () => import('../flow/flowDefinition.ts')"],
  ])('an upward import %s', (_, text) => {
    expect(planted({ 'claim/planted.ts': text })).toContainEqual(
      expect.stringMatching(
        /^claim\/planted\.ts imports flow\/.*: flow stands after claim in the list$/,
      ),
    )
  })

  it('an import between rooms of one row', () => {
    const text = "import type { MemoryStore } from '../memory/memoryStore.ts'"
    expect(planted({ 'store/dynamodb/planted.ts': text })).toEqual([
      'store/dynamodb/planted.ts imports store/memory/memoryStore.ts: store/dynamodb and store/memory do not know each other',
    ])
  })

  it.each([
    ['process.env', "export const table = process.env['TABLE']"],
    ['console', 'export const say = () => console.log(1)'],
    ['fetch', "export const get = () => fetch('https://example.com')"],
    ['a timer', 'export const later = (run: () => void) => setTimeout(run, 1)'],
    ['globalThis', "export const found = globalThis['process']"],
    ['the clock', 'export const now = Date.now()'],
    ['the clock by name', "export const now = Date['now']()"],
    ['the date of now', 'export const now = new Date()'],
    ['randomness', 'export const dice = Math.random()'],
    ['random bytes', "export { randomUUID } from 'node:crypto'"],
    ['what waits', 'export const wait = async () => {}'],
    ['what acts', "export { systemClock } from '../../base/clock.ts'"],
  ])('%s in a pure room', (_, text) => {
    expect(planted({ 'record/message/planted.ts': text })).toHaveLength(1)
  })

  it.each([
    ['a clock that is not handed in', 'flow/planted.ts', 'export const now = () => Date.now()'],
    ['a package of another room', 'flow/planted.ts', "import '@aws-sdk/client-sqs'"],
    ['a package when it runs', 'flow/planted.ts', "export const sdk = import('fauxqs')"],
    ['a package by a name that is computed', 'flow/planted.ts', 'export const x = import(`${1}`)'],
    ['the package itself', 'flow/planted.ts', "import type { Clock } from 'lineclear'"],
    ['a room that is not in the list', 'extra/planted.ts', 'export {}'],
  ])('%s', (_, file, text) => {
    expect(planted({ [file]: text })).toHaveLength(1)
  })

  it.each([
    ['a cycle of two files', 'export'],
    ['a cycle of two files, of types only', 'export type'],
  ])('%s', (_, how) => {
    expect(
      planted({
        'claim/one.ts': `${how} { two } from './two.ts'; ${how} { one } from './two.ts'`,
        'claim/two.ts': `${how} { one } from './one.ts'`,
      }),
    ).toEqual(['a cycle of files: claim/one.ts → claim/two.ts, claim/two.ts → claim/one.ts'])
  })

  it.each(['import', 'import type'])('a cycle of folders inside a room, by `%s`', (how) => {
    expect(
      planted({
        'flow/one/a.ts': `${how} { b } from '../two/b.ts'`,
        'flow/two/b.ts': 'export {}',
        'flow/two/c.ts': `${how} { d } from '../one/d.ts'`,
        'flow/one/d.ts': 'export {}',
      }),
    ).toEqual(['a cycle of folders: flow/one/a.ts → flow/two/b.ts, flow/two/c.ts → flow/one/d.ts'])
  })

  it('nothing in a new file that keeps the rules', () => {
    const types = "import type { SQSClient } from '@aws-sdk/client-sqs'"
    const values = "import { stableId } from '../../base/ids.ts'"
    expect(planted({ 'flow/inner/planted.ts': `${types}\n${values}` })).toEqual([])
  })
})
