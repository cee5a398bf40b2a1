import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const MAIN = resolve(import.meta.dirname, '../../../src/ops/cli/main.ts')
const ARGS = ['--conditions=lineclear:source', MAIN]

const lineclear = async (...args: readonly string[]) =>
  lineclearIn({ ...PLACE, ...SIGNED }, ...args)

async function lineclearIn(settings: Readonly<Record<string, string>>, ...args: readonly string[]) {
  // Neither the settings of this machine nor those of a machine in the cloud.
  const env = { PATH: process.env['PATH'], HOME: '/nowhere', AWS_EC2_METADATA_DISABLED: 'true' }
  return promisify(execFile)(process.execPath, [...ARGS, ...args], {
    env: { ...env, ...settings },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  )
}

/** No server listens on the discard port. */
const NOWHERE = 'http://127.0.0.1:9'
const PLACE = { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_DYNAMODB: NOWHERE, AWS_MAX_ATTEMPTS: '1' }
const SIGNED = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' }

it('as a process: exit codes, help on standard output, mistakes on standard error', async () => {
  const help = await lineclear('help')
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toContain('Exit codes')
  const wrong = await lineclear('lss')
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  const down = await lineclear('ls')
  expect(down).toMatchObject({ code: 3, stdout: '' })
  expect(down.stderr).toContain('AWS does not answer (connect ECONNREFUSED 127.0.0.1:9).')
}, 60_000)

it('says that the region or the credentials are missing, and how to give them', async () => {
  const nowhere = await lineclearIn(SIGNED, 'tokens', 'release', 'a/b', '--apply')
  expect(nowhere).toMatchObject({ code: 3, stdout: '' })
  expect(nowhere.stderr).toMatch(
    /^lineclear: No AWS region is configured.\nNothing was changed.\nGive --region/,
  )
  const unconfigured = await lineclearIn(PLACE, 'ls')
  expect(unconfigured).toMatchObject({ code: 3, stdout: '' })
  expect(unconfigured.stderr).toMatch(
    /^lineclear: No AWS credentials were found .*\nNothing was changed.\nSign in/,
  )
}, 60_000)

it('a reader that goes away is no failure', async () => {
  const child = spawn(process.execPath, [...ARGS, 'help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  const errors: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  const code = await new Promise((ended) => child.on('close', ended))
  expect({ code, errors: Buffer.concat(errors).toString() }).toEqual({ code: 0, errors: '' })
}, 60_000)
