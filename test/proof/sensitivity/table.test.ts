import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { transformSync } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { ROOMS } from '../../structure/rooms.ts'
import { choose } from './choose.ts'
import { firstFailure } from './failures.ts'
import { switchOff } from './switchOff.ts'
import { PROTECTIONS } from './table/index.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const codeOf = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8')

describe('the table of protections', () => {
  it.each(PROTECTIONS)('$file: $protects', (protection) => {
    const code = codeOf(protection.file)
    const without = switchOff(code, protection)
    expect(without).not.toBe(code)
    // A file that does not load would fail every test, and prove nothing.
    expect(() => transformSync(without, { loader: 'ts' })).not.toThrow()
  })

  it('has at least 100 protections, and at most ten exceptions', () => {
    expect(PROTECTIONS.length).toBeGreaterThanOrEqual(100)
    expect(PROTECTIONS.filter(({ exception }) => exception !== undefined).length).toBeLessThan(11)
  })

  it('has one for each room of the runtime that decides anything', () => {
    const all = ROOMS.flat().map(({ path }) => path)
    const runtime = all.slice(0, all.indexOf('index.ts')).filter((path) => !path.endsWith('.ts'))
    const covered = new Set(PROTECTIONS.map(({ room }) => room))
    expect(runtime.filter((room) => !covered.has(room))).toEqual(['features/tracing'])
  })

  it('names tests of the quick run', () => {
    const quick = globSync('test/**/*.test.ts', { cwd: ROOT }).filter(
      (file) => !file.includes('.proof.'),
    )
    const named = new Set(
      PROTECTIONS.flatMap(({ tests = [], roomTests }) => [...tests, ...roomTests]),
    )
    const gone = [...named].filter((part) => !quick.some((file) => file.includes(part)))
    expect(gone).toEqual([])
  })
})

describe('a text that has moved', () => {
  const change = { file: 'src/a.ts', text: 'if (a && b)', without: 'if (b)' }

  it('is found across lines', () => {
    expect(switchOff('x()\nif (a &&\n  b) y()', { ...change, text: 'if (a && b)' })).toBe(
      'x()\nif (b) y()',
    )
  })

  it.each(['', 'if (a && b) if (a && b)'])('is an error that names the row: %s', (code) => {
    expect(() => switchOff(code, change)).toThrow(/src\/a\.ts contains \d times .*: if \(a && b\)/)
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
