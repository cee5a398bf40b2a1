import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, matchesGlob, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import hostile from '../proof/hostile/vitest.config.ts'
import browser from '../tools/console/browser/vitest.config.ts'
import proof, { WHOLE } from '../proof/vitest.config.ts'
import dynoxide from '../referees/dynoxide/vitest.config.ts'
import ministack from '../referees/ministack/vitest.config.ts'
import moto from '../referees/moto/vitest.config.ts'
import quick, { LONG } from '../vitest.config.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const find = (pattern: string): string[] => globSync(pattern, { cwd: ROOT })
const tests = find('{test,examples}/**/*.test.ts')
const folders = new Set(
  tests.filter((file) => file.startsWith('test/')).map((file) => /^test\/[^/]+\//.exec(file)?.[0]),
)

/** A filter of Vitest selects every path that contains it. */
it.each([...folders].filter((folder) => folder !== undefined))(
  'the name %s selects the tests of that folder alone',
  (folder) => {
    const selected = tests.filter((file) => file.includes(folder.slice(0, -1)))
    expect(selected).toEqual(tests.filter((file) => file.startsWith(folder)))
  },
)

describe.each(Object.entries({ quick, proof, browser, hostile, dynoxide, ministack, moto }))(
  'the set %s',
  (_, config) => {
    it.each(config.test?.include ?? [])('finds tests under %s', (pattern) => {
      expect(find(pattern)).not.toEqual([])
    })

    it.each((config.test?.exclude ?? []).filter((pattern) => pattern.startsWith('test/')))(
      'leaves out %s, which is there',
      (pattern) => {
        expect(find(pattern)).not.toEqual([])
      },
    )
  },
)

it('every test is in the quick set, in the proof, in the browser, or on a referee', () => {
  const included = [quick, proof, browser, dynoxide, ministack, moto].flatMap(({ test }) => {
    const isIn = (file: string, patterns: readonly string[] = []): boolean =>
      patterns.some((pattern) => matchesGlob(file, pattern))
    return tests.filter((file) => isIn(file, test?.include) && !isIn(file, test?.exclude))
  })
  const left = tests.filter(
    (file) => !included.includes(file) && !WHOLE.some((pattern) => matchesGlob(file, pattern)),
  )
  expect(left, 'No command runs these: see include and exclude of the configs').toEqual([])
})

it.each([...LONG, ...WHOLE])('%s, which takes long, is there', (pattern) => {
  expect(find(pattern)).not.toEqual([])
})

/** What is started as a process, or read as a file, is named by a text that no compiler checks. */
it('every file that is named beside import.meta.dirname is there', () => {
  const missing = find('{src,test,examples}/**/*.ts').flatMap((file) => {
    const named = readFileSync(resolve(ROOT, file), 'utf8').matchAll(
      /import\.meta\.dirname,\s*'([^']+\.(?:[cm]?[jt]s|json|txt|md|yml))'/g,
    )
    return [...named]
      .map(([, path = '']) => resolve(ROOT, dirname(file), path))
      .filter((path) => !existsSync(path))
  })
  expect(missing, 'These are named beside import.meta.dirname: correct the name').toEqual([])
})
