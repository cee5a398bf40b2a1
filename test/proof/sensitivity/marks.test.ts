import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { ROOMS } from '../../structure/rooms.ts'
import { choose } from './choose.ts'
import { firstFailure } from './failures.ts'
import { marksIn } from './marks.ts'
import { PROTECTIONS, ROOT, testsBeside } from './protection.ts'
import { switchOff } from './switchOff.ts'

const compiled = (code: string): string =>
  transformSync(code, { loader: 'ts', minifySyntax: true, minifyWhitespace: true }).code

describe('the protections', () => {
  const codes = new Map(
    PROTECTIONS.map(({ file }) => [file, readFileSync(join(ROOT, file), 'utf8')]),
  )

  it.each(PROTECTIONS)('$file: $protects', ({ file, protects }) => {
    const code = codes.get(file) ?? ''
    // A file that does not load would fail every test, and prove nothing.
    expect(compiled(switchOff(code, protects))).not.toBe(compiled(code))
  })

  it('are at least 300, of at most ten exceptions', () => {
    expect(PROTECTIONS.length).toBeGreaterThanOrEqual(300)
    expect(PROTECTIONS.filter(({ exception }) => exception !== undefined).length).toBeLessThan(11)
  })

  it('have each its own words in their file', () => {
    const named = PROTECTIONS.map(({ file, protects }) => `${file}: ${protects}`)
    expect(named.filter((name, nth) => named.indexOf(name) !== nth)).toEqual([])
  })

  it('stand in each room of the runtime that decides anything', () => {
    const all = ROOMS.flat().map(({ path }) => path)
    const runtime = all
      .slice(0, all.indexOf('library/index.ts'))
      .filter((path) => !path.endsWith('.ts'))
    const without = runtime.filter(
      (room) => !PROTECTIONS.some(({ file }) => file.startsWith(`src/${room}/`)),
    )
    expect(without).toEqual([])
  })

  it.each([
    ['library/run/context/results', 'test/context'],
    ['library/features/sql', 'test/features/sql'],
    ['library/entries/call/http', 'test/call'],
    ['library/entries/sweeper/due', 'test/sweeper'],
  ])('of %s have their tests in %s', (room, folder) => {
    expect(testsBeside(room)).toBe(folder)
  })

  it('have all a folder of tests that is smaller than all tests', () => {
    expect(PROTECTIONS.filter(({ tests }) => tests.includes('test'))).toEqual([])
  })

  it('name tests of the quick run', () => {
    const quick = globSync('test/**/*.test.ts', { cwd: ROOT }).filter(
      (file) => !file.includes('.proof.'),
    )
    const named = new Set(PROTECTIONS.flatMap(({ tests }) => tests))
    expect([...named].filter((part) => !quick.some((file) => file.includes(part)))).toEqual([])
  })
})

describe('a mark', () => {
  const off = (code: string): string => compiled(switchOff(code, 'x'))

  it.each([
    ['a statement', '// @protects x\nif (a) b()\nc()', 'c()'],
    ['an else stays', '// @protects x\nif (a) b()\nelse c()', 'c()'],
    ['an element', 'f([\n// @protects x\na, b])', 'f([b])'],
    ['the last element', 'f([a,\n// @protects x\nb])', 'f([a])'],
    ['a member', 'f({\n// @protects x\na: 1,\nb: 2 })', 'f({ b: 2 })'],
    ['the first part of a chain', 'f(\n// @protects x\na && b && c)', 'f(b && c)'],
    ['a later part', 'f(a || /* @protects x */ b > 1)', 'f(a)'],
    ['what is tested', '// @protects x @without false\nif (a) b()', 'if (false) b()'],
    [
      'what is returned',
      'f = () => {\n// @protects x\n// @without 0\nreturn a + b }',
      'f = () => { return 0 }',
    ],
    [
      'a constant',
      '// @protects x @without 1\nexport const A = 5\nf(A)',
      'export const A = 1\nf(A)',
    ],
    [
      'what a function returns',
      '// @protects x @without true\nconst f = (a) => a > b',
      'const f = (a) => true',
    ],
    ['a statement by another one', '// @protects x @without throw a\na = b', 'throw a'],
    ['a part', '// @protects x @without its else\na = b ? c : d', 'a = d'],
    ['an argument', 'a = /* @protects x @without its argument */ Math.min(b, c) - d', 'a = b - d'],
    [
      'over several lines, below others',
      '// why\n// @protects y\n// @protects x\n// @survives Regex: z\na()',
      '',
    ],
  ])('switches off %s', (_what, code, expected) => {
    expect(off(code)).toBe(compiled(expected))
  })

  it('reads its parts', () => {
    const [mark] = marksIn(
      '// @protects a rule of\n// two lines @without a @ b\n// @tests t u\n// @exception why\na()',
    )
    expect(mark).toMatchObject({
      protects: 'a rule of two lines',
      without: 'a @ b',
      tests: ['t', 'u'],
      exception: 'why',
    })
  })

  it.each([
    ['before no node', '// @protects x'],
    ['is unknown', '// @protects x @withot true\na()'],
    ['has no argument', '// @protects x @without its argument\na = b'],
    ['no mark', '// @protects y\na()'],
  ])('is refused: %s', (message, code) => {
    expect(() => off(code)).toThrow(message)
  })
})

it('a sample is the same for the same seed', () => {
  const sample = (seed: string) => choose(PROTECTIONS, { only: '', sample: '15', seed })
  expect(sample('a')).toHaveLength(15)
  expect(sample('a')).toEqual(sample('a'))
  expect(sample('a')).not.toEqual(sample('b'))
})

it('the first failure is read from the output', () => {
  const output = 'a line\nnot passed: test/a.test.ts > group > case\nnot passed: test/b.test.ts > x'
  expect(firstFailure(output)).toEqual({ file: 'test/a.test.ts', test: 'group > case' })
  expect(firstFailure('all is well')).toBeUndefined()
})
