import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { resolve } from 'node:path'

const MAIN = resolve(import.meta.dirname, '../../../src/tools/cli/main.ts')
export const ARGS = ['--conditions=lineclear:source', MAIN]

export const lineclear = async (...args: readonly string[]) =>
  lineclearIn({ ...PLACE, ...SIGNED }, ...args)

export async function lineclearIn(
  settings: Readonly<Record<string, string>>,
  ...args: readonly string[]
) {
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
export const PLACE = {
  AWS_REGION: 'eu-west-1',
  AWS_ENDPOINT_URL_DYNAMODB: NOWHERE,
  AWS_MAX_ATTEMPTS: '1',
}
export const SIGNED = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' }
