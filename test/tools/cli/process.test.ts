import { expect, it } from 'vitest'
import { lineclear } from './process.ts'

it('as a process: exit codes, help on standard output, mistakes on standard error', async () => {
  const help = await lineclear('help')
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toContain('Exit codes')
  const wrong = await lineclear('lss')
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  const down = await lineclear('ls')
  expect(down).toMatchObject({ code: 3, stdout: '' })
  expect(down.stderr).toContain('AWS does not answer (connect ECONNREFUSED 127.0.0.1:9).')
})
