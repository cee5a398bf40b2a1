import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { entryFiles } from '../documents/docComments/publicDocs.ts'
import { type Files, unusedExports } from './unusedExports.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const files: Files = new Map([...filesIn('src'), ...filesIn('test')])
const entries = Object.values(entryFiles()).map((file) => file.slice(ROOT.length + 1))

function filesIn(folder: string): readonly (readonly [string, string])[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => [`${folder}/${file}`, readFileSync(join(ROOT, folder, file), 'utf8')])
}

describe('an export', () => {
  it('has an importer', () => {
    expect(unusedExports(files, entries), 'Take `export` away, or delete it').toEqual([])
  })

  it.each([
    ['nothing imports it', {}],
    [
      'a test of another room imports it',
      { 'test/deliver/x.test.ts': "import { planted } from '../../src/send/planted.ts'" },
    ],
  ])('is found out when %s', (_, others) => {
    const planted = { 'src/send/planted.ts': 'export const planted = 1\n', ...others }
    expect(unusedExports(new Map([...files, ...Object.entries(planted)]), entries)).toEqual([
      'src/send/planted.ts exports planted, which nothing imports',
    ])
  })

  it.each([
    ['another file', 'src/deliver/x.ts', "import { planted } from '../send/planted.ts'"],
    ['an index', 'src/send/index.ts', "export * from './planted.ts'"],
    [
      'a type in place',
      'src/deliver/x.ts',
      "export const x: import('../send/planted.ts').planted = 1",
    ],
    [
      'its own test',
      'test/send/planted.test.ts',
      "import { planted } from '../../src/send/planted.ts'",
    ],
  ])('is used by %s', (_, file, text) => {
    const planted = { 'src/send/planted.ts': 'export type planted = 1\n', [file]: text }
    const found = unusedExports(new Map([...files, ...Object.entries(planted)]), entries)
    expect(found.filter((each) => each.includes('planted.ts'))).toEqual([])
  })
})
