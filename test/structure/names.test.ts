import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { type Files, sharedNames } from './names.ts'

const SRC = resolve(import.meta.dirname, '../../src')

/** Names that several files export, and why each file keeps the name. */
const SHARED: Readonly<Record<string, string>> = {
  batchBytes: 'a namespace of limits for each service of AWS',
  batchEntries: 'a namespace of limits for each service of AWS',
  itemBytes: 'a namespace of limits for each service of AWS',
  messageBytes: 'a namespace of limits for each service of AWS',
  Dev: 'public type; its page in the console',
  Faults: 'public type; its part of the console',
  LogLine: 'public type of memoryCloud; public type of the local cloud',
  MapNode: 'public type; its part of the console',
  Refusal: 'a rejected message; an error of the local DynamoDB',
  Table: "the framework's table; a table on a page of the console",
  Time: 'public type; its part of the console',
  Waterfall: 'what happened over time; its part of the console',
  enter: 'a statement in SQL; what memorySql does for it',
  raise: 'a statement in SQL; what memorySql does for it',
  readRequest: 'a request of DynamoDB; the stored items of a request',
  reconcile: 'a command; what it calls',
  runBatch: 'the handler of a consumer; the poller of the local cloud',
  transact: 'a call of DynamoDB; the local DynamoDB',
}

it('a name stands for one thing, or says why not', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  const src: Files = new Map(
    files
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => [file, readFileSync(join(SRC, file), 'utf8')]),
  )
  expect(src.size).toBeGreaterThan(100)
  const found = sharedNames(src)
  const names = Object.keys(SHARED).toSorted()
  expect([...found.keys()].toSorted(), 'Rename the less central one to what it is').toEqual(names)
  expect(names.length).toBeLessThanOrEqual(40)
  const library = [...found.values()].map((all) =>
    all.filter((file) => file.startsWith('library/')),
  )
  expect(library.filter((all) => all.length > 1).length).toBeLessThanOrEqual(5)
})

it.each(['export function x() {}', 'export const x = 1', 'export async function* x() {}'])(
  'finds a second declaration: %s',
  (text) => {
    const files = new Map([
      ['a.ts', 'export type x = 1'],
      ['b/c.ts', text],
    ])
    expect([...sharedNames(files)]).toEqual([['x', ['a.ts', 'b/c.ts']]])
  },
)

it.each([
  ['a re-export', "export { x } from './a.ts'"],
  ['an overload in one file', 'export function y(): void\nexport function y(): void {}'],
  ['a declaration that is not exported', 'const x = 1'],
])('%s is no second declaration', (_, text) => {
  const files = new Map([
    ['a.ts', 'export const x = 1'],
    ['b.ts', text],
  ])
  expect([...sharedNames(files)]).toEqual([])
})
