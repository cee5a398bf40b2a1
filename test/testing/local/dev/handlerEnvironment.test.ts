import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { forkChild } from '../../../../src/tools/console/dev/forkChild.ts'
import { handlerEnvironment } from '../../../../src/testing/local/dev/mapConsumers.ts'

const OF_DEVELOPER = {
  AWS_ACCESS_KEY_ID: 'AKIAREAL',
  AWS_SECRET_ACCESS_KEY: 'real-secret',
  AWS_SESSION_TOKEN: 'real-token',
  AWS_PROFILE: 'real-profile',
  AWS_DEFAULT_PROFILE: 'real-profile',
  AWS_ROLE_ARN: 'arn:aws:iam::1:role/real',
  AWS_WEB_IDENTITY_TOKEN_FILE: '/real/token',
  AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/real',
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/real',
  AWS_CONTAINER_AUTHORIZATION_TOKEN: 'real',
  AWS_REGION: 'real-region',
  AWS_DEFAULT_REGION: 'real-region',
}

afterEach(() => vi.unstubAllEnvs())

it('handlers have no credentials of the developer, and keep what is none', () => {
  const own = { ...OF_DEVELOPER, AWS_LAMBDA_LOG_LEVEL: 'INFO', TABLE: 'orders', NONE: undefined }
  const given = handlerEnvironment(own)
  expect(JSON.stringify(given)).not.toMatch(/real/i)
  expect(given).toMatchObject({
    AWS_ACCESS_KEY_ID: expect.any(String),
    AWS_SECRET_ACCESS_KEY: expect.any(String),
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_LAMBDA_LOG_LEVEL: 'INFO',
    TABLE: 'orders',
  })
})

it('the process of dev that loads handlers has none, either', async () => {
  for (const [name, value] of Object.entries(OF_DEVELOPER)) vi.stubEnv(name, value)
  const folder = mkdtempSync(join(tmpdir(), 'lineclear-dev-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'dev.mjs')
  writeFileSync(
    file,
    'throw new Error(Object.entries(process.env).filter(([name]) => name.startsWith("AWS_")).join())',
  )
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const ours = { loaded: () => {}, failed: ({ message }: { message: string }) => resolve(message) }
  const child = forkChild(process.cwd(), ours as never, () => {}, reject)
  child.peer.tell('load', file)
  const environment = await promise
  await child.kill()
  expect(environment).toContain('AWS_ACCESS_KEY_ID')
  expect(environment).not.toMatch(/real-|AKIAREAL|role\/real/)
})
