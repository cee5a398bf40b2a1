import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { saveTest } from '../../../../src/ops/console/dev/saveTest.ts'

let cwd = ''
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'lineclear-save-'))
})
afterEach(async () => rm(cwd, { recursive: true }))

const save = (body: object) =>
  saveTest(body, {
    cwd,
    file: 'dev.ts',
    title: 'Charged once!',
    run: { send: [{ to: 'orders', payload: 1 }] },
  })

test('a name is derived, and the next free one taken', () => {
  expect(save({})).toMatchObject({
    file: 'dev.charged-once.test.ts',
    messages: 1,
    faults: 0,
    written: true,
    run: 'npx vitest run dev.charged-once.test.ts',
  })
  expect(save({}).file).toBe('dev.charged-once-2.test.ts')
})

test('with write: false nothing is written', async () => {
  expect(save({ write: false })).toMatchObject({ written: false })
  expect(await readdir(cwd)).toEqual([])
})

test('a file that exists is never written to', async () => {
  await writeFile(join(cwd, 'mine.test.ts'), 'mine')
  expect(() => save({ name: 'mine.test.ts' })).toThrow('exists, and is not written to')
  expect(await readFile(join(cwd, 'mine.test.ts'), 'utf8')).toBe('mine')
})

test.each(['../a.test.ts', '/tmp/a.test.ts', 'a.ts', 'a/b.test.ts', '.test.ts', 'a.test.ts\n'])(
  'the name %j is refused',
  (name) => {
    expect(() => save({ name })).toThrow('expected a file name')
  },
)

test('a session without messages is nothing to save', () => {
  expect(() => saveTest({}, { cwd, file: 'dev.ts', title: 't', run: { send: [] } })).toThrow(
    'nothing was sent',
  )
})
