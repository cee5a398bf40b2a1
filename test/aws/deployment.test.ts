import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Bounds, Packaged } from '../documents/deploy/packaged.ts'
import { deploymentOf, removable } from './deployment.ts'

const KEPT = {
  Type: 'AWS::DynamoDB::Table',
  DeletionPolicy: 'Retain',
  UpdateReplacePolicy: 'Retain',
  Properties: { DeletionProtectionEnabled: true },
}
const REMOVABLE = {
  Type: 'AWS::DynamoDB::Table',
  DeletionPolicy: 'Delete',
  UpdateReplacePolicy: 'Delete',
  Properties: { DeletionProtectionEnabled: false },
}
const stateOf = (Table: object) => ({
  service: { provider: { compiledCloudFormationTemplate: { Resources: { Table } } } },
})
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lineclear-deployment-'))
  writeFileSync(join(folder, 'serverless-state.json'), JSON.stringify(stateOf(KEPT)))
})

afterEach(() => rmSync(folder, { recursive: true }))

it('nothing of the template outlives its stack', () => {
  expect(removable({ Resources: { Table: KEPT } }).Resources['Table']).toEqual(REMOVABLE)
})

it('gives osls what can be removed, and ends it when it is stopped', async () => {
  const stop = new AbortController()
  let given: Readonly<Record<string, string>> = {}
  const service = {
    folder,
    deploy: (environment: typeof given, bounds: Bounds = {}) => {
      given = environment
      return new Promise((_, fail) => {
        bounds.stop?.addEventListener('abort', () => fail(new Error('osls ended')))
      })
    },
  } as unknown as Packaged
  const credentials = () => Promise.resolve({ accessKeyId: 'id', secretAccessKey: 'secret' })
  const account = { region: 'eu-central-1', credentials }
  const deployment = deploymentOf({
    account,
    stage: 'own',
    service,
    stop: stop.signal,
    say: () => {},
  })
  const done = deployment.deploy()
  setTimeout(() => stop.abort(new Error('stopped')), 10)
  await expect(done).rejects.toThrow('osls ended')
  expect(given).toMatchObject({ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'id' })
  const state: unknown = JSON.parse(readFileSync(join(folder, 'serverless-state.json'), 'utf8'))
  expect(state).toEqual(stateOf(REMOVABLE))
  expect(deployment.byHand).toBe('npm run aws -- --remove --stage own --region eu-central-1')
})
