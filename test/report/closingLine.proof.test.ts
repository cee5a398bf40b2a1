import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const REPOSITORY = resolve(import.meta.dirname, '../..')

const CONFIG = `
  import { closingLine } from ${JSON.stringify(join(import.meta.dirname, 'closingLine.ts'))}
  const thresholds = { functions: 90 }
  const notRun = 'The tests of X did not run.'
  export default {
    test: {
      setupFiles: [${JSON.stringify(join(REPOSITORY, 'test/environment.ts'))}],
      reporters: ['default', closingLine(notRun)],
      coverage: { include: ['half.ts'], reporter: [], thresholds },
    },
  }
`

const FILES = {
  'vitest.config.ts': CONFIG,
  'half.ts': 'export const used = () => 1\nexport const unused = () => 2',
  'good.test.ts': "it('a', () => {}); it('b', () => {})",
  'skipped.test.ts': "it('a', () => {}); it.runIf(false)('b', () => {})",
  'idle.test.ts': "it.runIf(false)('a', () => {})",
  'bad.test.ts': `
    import { quietLogger } from ${JSON.stringify(join(REPOSITORY, 'test/deliver/quietLogger.ts'))}
    it('before', () => { quietLogger().warn('of another test') })
    it('a', () => {
      quietLogger().info('that it began')
      quietLogger().warn('why it failed', { uniquerequestid: 'r1' })
      throw new Error('on purpose')
    })`,
  'unloadable.test.ts': "import './nothing.ts'",
  'hook.test.ts': "afterAll(() => { throw new Error('on purpose') }); it('a', () => {})",
  'uncaught.test.ts': "it('a', () => { void Promise.reject(new Error('on purpose')) })",
  'half.test.ts': "import { used } from './half.ts'\nit('a', () => { used() })",
}

const WARNINGS = `Error: on purpose
The quiet logger kept:
  { uniquerequestid: 'r1', level: 'warn', message: 'why it failed' }
`

let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'lineclear-report-'))
  symlinkSync(join(REPOSITORY, 'node_modules'), join(directory, 'node_modules'))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(directory, name), text)
})

afterAll(() => {
  rmSync(directory, { recursive: true, force: true })
})

it.each([
  { run: ['good', 'skipped'], line: '3 passed, 0 failed, 1 skipped', exitCode: 0 },
  {
    run: ['bad', 'unloadable', 'hook', 'uncaught'],
    line: '3 passed, 4 failed',
    exitCode: 1,
    says: WARNINGS,
  },
  { run: ['idle'], line: '0 passed, 1 failed, 1 skipped', exitCode: 1 },
  { run: ['half', '--coverage'], line: '1 passed, 1 failed', exitCode: 1 },
])('ends a run of $run with "$line" and exit code $exitCode', ({ run, line, exitCode, says }) => {
  const vitest = join(REPOSITORY, 'node_modules/.bin/vitest')
  const { stdout, stderr, status } = spawnSync(vitest, ['run', '--globals', ...run], {
    cwd: directory,
    encoding: 'utf8',
    env: outsideVitest(),
  })
  expect(stripVTControlCharacters(stderr)).toContain(says ?? '')
  expect(stdout.trimEnd().split('\n').slice(-2)).toEqual(['The tests of X did not run.', line])
  expect(status).toBe(exitCode)
})

function outsideVitest(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')),
  )
}
