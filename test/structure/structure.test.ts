import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkStructure, type House } from './checkStructure.ts'
import { CLOCK_READERS, ROOMS } from './rooms.ts'

const SRC = resolve(import.meta.dirname, '../../src')

const BROKEN =
  'The rules stand in test/structure/rooms.ts: move what both need upwards, hand it in, or (for a new folder) add its room there'

it('the source keeps the rules of the list of rooms', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  const src = new Map(
    files
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => [file, readFileSync(join(SRC, file), 'utf8')]),
  )
  expect(src.size).toBeGreaterThan(100)
  const house = { rooms: ROOMS, clockReaders: CLOCK_READERS }
  expect(checkStructure(src, house), BROKEN).toEqual([])
})

/** A small house: the floor, two rooms that do not know each other, and a roof with all doors. */
const HOUSE: House = {
  rooms: [
    [{ path: 'floor', pure: true }],
    [{ path: 'left' }, { path: 'right' }],
    [{ path: 'roof', packages: ['known'] }],
  ],
  clockReaders: ['roof'],
}

const TREE: Readonly<Record<string, string>> = {
  'floor/clock.ts': '// @acts, and reads the clock\nexport const now = async () => Date.now()',
  'floor/ids.ts': 'export const id = 1; export type Id = 1',
  'left/left.ts': "import { id } from '../floor/ids.ts'; export const left = id",
  'right/right.ts': 'export const right = 1; export type Right = 1',
  'roof/roof.ts': "import 'known'; export const roof = Date.now()",
}

/** What the check finds when these files are in the house too. */
function planted(files: Readonly<Record<string, string>>): string[] {
  return checkStructure(new Map(Object.entries({ ...TREE, ...files })), HOUSE)
}

it('a house that keeps the rules has no breach', () => {
  const values = "import { id } from '../../floor/ids.ts'"
  const types = "import type { SQSClient } from '@aws-sdk/client-sqs'"
  expect(planted({ 'left/inner/planted.ts': `${types}\n${values}` })).toEqual([])
})

it.each([
  'export const process = 1; export const next = process + 1',
  'export const of = ({ a: [process] }: { a: string[] }) => process',
  'export function of({ process = 1, ...fetch }) { return [process, fetch] }',
])('a name of its own is no global: %s', (text) => {
  expect(planted({ 'floor/planted.ts': text })).toEqual([])
})

describe('the check turns red for', () => {
  it.each([
    ['of a value', "import { roof } from '../roof/roof.ts'"],
    ['of a type', "import type { Roof } from '../roof/roof.ts'"],
    ['that re-exports', "export * from '../roof/roof.ts'"],
    ['of a type in place', "export type Roof = import('../roof/roof.ts').Roof<never, never>"],
    ['when it runs', "export const roof = () => import('../roof/roof.ts')"],
  ])('an upward import %s', (_, text) => {
    expect(planted({ 'left/planted.ts': text })).toEqual([
      'left/planted.ts imports roof/roof.ts: roof stands after left in the list',
    ])
  })

  it('an import between rooms of one row', () => {
    const text = "import type { Right } from '../right/right.ts'"
    expect(planted({ 'left/planted.ts': text })).toEqual([
      'left/planted.ts imports right/right.ts: left and right do not know each other',
    ])
  })

  const acting: [string, string][] = [
    ['process.env', "export const table = process.env['TABLE']"],
    ['console', 'export const say = () => console.log(1)'],
    ['fetch', "export const get = () => fetch('https://example.com')"],
    ['a timer', 'export const later = (run: () => void) => setTimeout(run, 1)'],
    ['globalThis', "export const found = globalThis['process']"],
    ['random bytes', "export { randomUUID } from 'node:crypto'"],
    ['what waits', 'export const wait = async () => {}'],
    ['what acts', "export { now } from './clock.ts'"],
  ]

  it.each<[string, string]>([
    ...acting,
    ['the clock', 'export const now = Date.now()'],
    ['the clock by name', "export const now = Date['now']()"],
    ['the date of now', 'export const now = new Date()'],
    ['randomness', 'export const dice = Math.random()'],
  ])('%s in a pure room', (_, text) => {
    expect(planted({ 'floor/planted.ts': text })).toHaveLength(1)
  })

  it.each(acting)('%s in a pure room, unless the file says so', (_, text) => {
    expect(planted({ 'floor/planted.ts': `// @acts\n${text}` })).toEqual([])
  })

  it.each([
    ['that only computes', 'floor/planted.ts'],
    ['in a room that is not pure', 'left/planted.ts'],
  ])('a file that says it acts, %s', (_, file) => {
    expect(planted({ [file]: '// @acts\nexport {}' })).toHaveLength(1)
  })

  it.each([
    ['a clock that is not handed in', 'left/planted.ts', 'export const now = () => Date.now()'],
    ['a clock in a file that only acts', 'floor/planted.ts', '// @acts\nawait 1; Date.now()'],
    ['a package of another room', 'left/planted.ts', "import 'known'"],
    ['a package when it runs', 'left/planted.ts', "export const sdk = import('known')"],
    ['a package by a name that is computed', 'left/planted.ts', 'export const x = import(`${1}`)'],
    ['the package itself', 'left/planted.ts', "import type { Clock } from 'lineclear'"],
    ['a room that is not in the list', 'extra/planted.ts', 'export {}'],
  ])('%s', (_, file, text) => {
    expect(planted({ [file]: text })).toHaveLength(1)
  })

  it('a room of the list that is not there', () => {
    const { 'roof/roof.ts': _, ...others } = TREE
    expect(checkStructure(new Map(Object.entries(others)), HOUSE)).toHaveLength(1)
  })

  it.each([
    ['a cycle of two files', 'export'],
    ['a cycle of two files, of types only', 'export type'],
  ])('%s', (_, how) => {
    expect(
      planted({
        'left/one.ts': `${how} { two } from './two.ts'; ${how} { one } from './two.ts'`,
        'left/two.ts': `${how} { one } from './one.ts'`,
      }),
    ).toEqual([
      'a cycle of files: left/one.ts → left/two.ts, left/two.ts → left/one.ts',
      'a cycle in left: left/one.ts → left/two.ts, left/two.ts → left/one.ts',
    ])
  })

  it.each(['import', 'import type'])('a cycle of folders inside a room, by `%s`', (how) => {
    expect(
      planted({
        'left/one/a.ts': `${how} { b } from '../two/b.ts'`,
        'left/two/b.ts': 'export {}',
        'left/two/c.ts': `${how} { d } from '../one/d.ts'`,
        'left/one/d.ts': 'export {}',
      }),
    ).toEqual([
      'a cycle of folders: left/one/a.ts → left/two/b.ts, left/two/c.ts → left/one/d.ts',
      'a cycle in left: left/one/a.ts → left/two/b.ts, left/two/c.ts → left/one/d.ts',
    ])
  })

  it('a cycle of two folders whose folders form none', () => {
    expect(
      planted({
        'left/one/in/a.ts': "import { b } from '../../two/in/b.ts'",
        'left/two/in/b.ts': 'export {}',
        'left/two/out/c.ts': "import type { d } from '../../one/out/d.ts'",
        'left/one/out/d.ts': 'export {}',
      }),
    ).toEqual([
      'a cycle in left: left/one/in/a.ts → left/two/in/b.ts, left/two/out/c.ts → left/one/out/d.ts',
    ])
  })
})
