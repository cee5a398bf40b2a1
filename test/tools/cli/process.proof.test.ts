import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { ARGS, lineclearIn, PLACE, SIGNED } from './process.ts'

it('says that the region or the credentials are missing, and how to give them', async () => {
  const nowhere = await lineclearIn(SIGNED, 'decide', 'a/b', 'free', '--apply')
  expect(nowhere).toMatchObject({ code: 3, stdout: '' })
  expect(nowhere.stderr).toMatch(
    /^lineclear: No AWS region is configured.\nNothing was changed.\nGive --region/,
  )
  const unconfigured = await lineclearIn(PLACE, 'ls')
  expect(unconfigured).toMatchObject({ code: 3, stdout: '' })
  expect(unconfigured.stderr).toMatch(
    /^lineclear: No AWS credentials were found .*\nNothing was changed.\nSign in/,
  )
})

it('a reader that goes away is no failure', async () => {
  const child = spawn(process.execPath, [...ARGS, 'help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  const errors: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  const code = await new Promise((ended) => child.on('close', ended))
  expect({ code, errors: Buffer.concat(errors).toString() }).toEqual({ code: 0, errors: '' })
})
