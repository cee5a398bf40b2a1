import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { judge, type Tested } from './judge.ts'
import { marksIn } from './mark.ts'
import { complaintsOf, tableOf } from './report.ts'
import { mutatedIn, ROOMS, ROOT, testsOf } from './rooms.ts'

const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
const FILE = join(folder, 'src/a.ts')

/** The code, with comments above the line that is mutated. */
function write(...comments: readonly string[]): void {
  const code = ['const MOST = 5', ...comments, '  if (a &&', '    b) return MOST', '']
  writeFileSync(FILE, code.join('\n'))
}

beforeEach(() => {
  mkdirSync(join(folder, 'src'), { recursive: true })
  write()
})
afterAll(() => rmSync(folder, { recursive: true }))

/** `a &&\n b` becomes `false`. @param line on which it begins */
function tested(status: string, line = 2, replacement = 'false'): Tested {
  const location = { start: { line, column: 7 }, end: { line: line + 1, column: 6 } }
  return { fileName: FILE, mutatorName: 'Condition', replacement, location, status }
}

describe('a mutant that survives', () => {
  it('is shown by what it changes', () => {
    const report = judge('room', [tested('Survived')])
    expect(report).toMatchObject({ mutants: 1, killed: 0, explained: 0, unexplained: [{}] })
    expect(complaintsOf(report).join('')).toContain(
      'src/a.ts:2 (Condition)\n  - if (a && b) return MOST\n  + if (false) return MOST',
    )
  })

  it.each(['Survived', 'NoCoverage'])('may be explained above its line: %s', (status) => {
    write('  // @survives Condition: the same', '  // either way', '  // another comment')
    const report = judge('room', [tested(status, 5)])
    expect(report).toMatchObject({ explained: 1, unexplained: [], outdated: [] })
    expect(complaintsOf(report)).toEqual([])
  })

  it.each([
    ['of another kind', 'Regex', ['false'], 1],
    ['of fewer', 'Condition', ['true', 'false'], 2],
    ['of as many', 'Condition ×2', ['true', 'false'], 0],
    ['of several kinds', 'Regex, Condition', ['false'], 0],
  ])('is compared with an explanation %s', (_, kinds, becomes, unexplained) => {
    write(`  // @survives ${kinds}: the same`)
    const report = judge(
      'room',
      becomes.map((each) => tested('Survived', 3, each)),
    )
    expect(report.unexplained).toHaveLength(unexplained)
  })
})

describe('an explanation', () => {
  it.each([
    ['is out of date once tests kill the mutant', [tested('Killed', 3)], 1],
    ['is doubted by no mutant that ran out of time', [tested('Timeout', 3)], 0],
    ['is out of date once another line has the mutant', [tested('Killed', 1)], 1],
    ['says nothing of files that were not looked at', [], 0],
  ])('%s', (_, mutants, count) => {
    write('  // @survives Condition: the same')
    const { outdated, unexplained } = judge('room', mutants)
    expect(outdated).toHaveLength(count)
    expect(unexplained).toEqual([])
  })

  it.each(['// @survives', '// @survives Regex', '// @survives : why', '// @survives A, ×2: why'])(
    'has a form: %s',
    (comment) => {
      expect(() => marksIn(`${comment}\ncode()`)).toThrow('expected "// @survives KIND: why"')
    },
  )
})

it('figures add up', () => {
  write('  // @survives Condition: the same')
  const report = judge('room', [tested('Killed', 3, 'true'), tested('Survived', 3)])
  const figures = tableOf([report, report])
    .split('\n')
    .map((line) => line.split(/ +/))
  expect(figures.at(1)).toEqual(['room', '2', '1', '1', '0'])
  expect(figures.at(-1)).toEqual(['all', '4', '2', '2', '0'])
})

it.each(ROOMS)('$name has tests, and code that they mutate', (room) => {
  expect(testsOf(room)).not.toEqual([])
  expect(mutatedIn(room)).not.toEqual([])
})

it('each explanation in the source has the form, and stands in a room that is mutated', () => {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: ROOT }).filter(
    (file) => marksIn(readFileSync(join(ROOT, file), 'utf8')).length > 0,
  )
  const mutated = new Set(ROOMS.flatMap(mutatedIn))
  expect(files.filter((file) => !mutated.has(file))).toEqual([])
})
