import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readSource } from '../../structure/readSource.ts'
import * as structure from '../../structure/rooms.ts'

/** A part of the source without I/O, and its tests. All without sockets, and done in a second. */
export interface Room {
  readonly name: string
  /** Folders, without those below them. */
  readonly source: readonly string[]
  readonly tests: readonly string[]
}

export const ROOMS: readonly Room[] = [
  {
    name: 'message',
    source: ['src/library/protocol/record/message'],
    tests: ['test/record/message'],
  },
  {
    name: 'token',
    source: ['src/library/protocol/claim', 'src/library/protocol/claim/token'],
    tests: ['test/claim', 'test/claim/token'],
  },
  { name: 'stage', source: ['src/library/protocol/claim/stage'], tests: ['test/claim/stage'] },
  {
    name: 'awaiting',
    source: ['src/library/protocol/claim/awaiting'],
    tests: ['test/claim/awaiting'],
  },
  { name: 'retry', source: ['src/library/protocol/send'], tests: ['test/send/retry'] },
  { name: 'guard', source: ['src/library/run/context/guard'], tests: ['test/context/guard'] },
  {
    name: 'envelope',
    source: ['src/library/protocol/record/envelope'],
    tests: ['test/record/envelope'],
  },
  { name: 'metrics', source: ['src/library/features/metrics'], tests: ['test/features/metrics'] },
  {
    name: 'keys',
    source: ['src/library/entries/call', 'src/library/entries/call/http'],
    tests: ['test/call/keys'],
  },
  { name: 'base', source: ['src/library/base'], tests: ['test/base'] },
  {
    name: 'sql',
    source: ['src/library/features/sql'],
    tests: ['test/features/sql/withoutPostgres'],
  },
]

export const ROOT: string = resolve(import.meta.dirname, '../../..')

export function testsOf({ tests }: Room): readonly string[] {
  const files = tests.flatMap((folder) => globSync(`${folder}/*.test.ts`, { cwd: ROOT }))
  return files.filter((file) => !file.endsWith('.proof.test.ts'))
}

/** The files of its folders that only compute, and those that one of its tests imports. */
export function mutatedIn(room: Room): readonly string[] {
  const imported = new Set(testsOf(room).flatMap(importsOf))
  return room.source
    .flatMap((folder) => globSync(`${folder}/*.ts`, { cwd: ROOT }))
    .filter((file) => imported.has(file) || onlyComputes(file))
}

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

function importsOf(test: string): readonly string[] {
  return readSource(textOf(test), test)
    .imports.filter(({ from, isType }) => !isType && from.startsWith('.'))
    .map(({ from }) => join(dirname(test), from))
}

/** By the list of rooms, and by what the file says of itself. */
function onlyComputes(file: string): boolean {
  const rooms = structure.ROOMS.flat()
  const isPure = rooms.some(({ path, pure }) => pure === true && `src/${path}` === dirname(file))
  return isPure && !textOf(file).startsWith('// @acts')
}
