import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { saveTest } from '../../../../src/tools/console/dev/saveTest.ts'

let cwd = ''
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'lineclear-save-'))
})
afterEach(async () => rm(cwd, { recursive: true }))

const save = (red: readonly string[], thrown: readonly string[] = []) =>
  saveTest({ cwd, file: 'dev.ts', run: { send: [{ to: 'orders', payload: 1 }] }, red, thrown })

test('a name is derived, and the next free one taken', () => {
  expect(save(['Charged once!'])).toMatchObject({
    file: 'dev.charged-once.test.ts',
    messages: 1,
    faults: 0,
    run: 'npx vitest run dev.charged-once.test.ts',
  })
  expect(save(['Charged once!']).file).toBe('dev.charged-once-2.test.ts')
})

test('a run without messages is nothing to save', () => {
  const run = { send: [] }
  expect(() => saveTest({ cwd, file: 'dev.ts', run, red: [], thrown: [] })).toThrow(
    'nothing was sent',
  )
})

test.each([
  [[], [], 'No book was wrong'],
  [['a', 'b'], [], 'Wrong were the books a, b'],
  [
    [],
    ['TypeError: no\u2028 tariff', 'Error: other'],
    'No book was wrong; not tested is what handlers threw: TypeError: no tariff, and 1 more',
  ],
])('what was wrong stands in its first line: books %j, thrown %j', async (red, thrown, was) => {
  const saved = save(red, thrown)
  expect(saved.was).toBe(was)
  expect(await readFile(join(cwd, saved.file), 'utf8')).toMatch(
    new RegExp(`^// When it was saved: ${was}\nimport`),
  )
})
