import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { saveTest } from '../../../../src/tools/console/dev/saveTest.ts'

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
    check: async () => 'passes: the run was right',
  })

test('a name is derived, and the next free one taken', async () => {
  expect(await save({})).toMatchObject({
    file: 'dev.charged-once.test.ts',
    messages: 1,
    faults: 0,
    written: true,
    run: 'npx vitest run dev.charged-once.test.ts',
  })
  expect((await save({})).file).toBe('dev.charged-once-2.test.ts')
})

test('with write: false nothing is written', async () => {
  expect(await save({ write: false })).toMatchObject({ written: false })
  expect(await readdir(cwd)).toEqual([])
})

test('a file that exists is never written to', async () => {
  await writeFile(join(cwd, 'mine.test.ts'), 'mine')
  await expect(save({ name: 'mine.test.ts' })).rejects.toThrow('exists, and is not written to')
  expect(await readFile(join(cwd, 'mine.test.ts'), 'utf8')).toBe('mine')
})

test.each(['../a.test.ts', '/tmp/a.test.ts', 'a.ts', 'a/b.test.ts', '.test.ts', 'a.test.ts\n'])(
  'the name %j is refused',
  async (name) => {
    await expect(save({ name })).rejects.toThrow('expected a file name')
  },
)

test('a session without messages is nothing to save', async () => {
  const check = async () => 'never'
  const run = { send: [] }
  await expect(saveTest({}, { cwd, file: 'dev.ts', title: 't', run, check })).rejects.toThrow(
    'nothing was sent',
  )
})

test('how it ended is answered, and stands in the file, unless that was edited while it ran', async () => {
  const saved = await save({})
  expect(saved.verdict).toBe('passes: the run was right')
  const note = '// When it was saved: passes: the run was right\n'
  expect(await readFile(join(cwd, saved.file), 'utf8')).toMatch(new RegExp(`^${note}import`))
  await save({ write: false }).then(({ text }) => expect(text).not.toContain('When it was saved'))
  const path = join(cwd, 'edited.test.ts')
  const check = async () => {
    await writeFile(path, 'edited')
    return 'passes'
  }
  const run = { send: [{ to: 'orders', payload: 1 }] }
  await saveTest({ name: 'edited.test.ts' }, { cwd, file: 'dev.ts', title: 't', run, check })
  expect(await readFile(path, 'utf8')).toBe('edited')
})
