import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { scenarios } from './scenarios.ts'
import { lineclear, powertools } from './subject.ts'

/**
 * Each scenario runs on both libraries, on the same DynamoDB engine, and both results are asserted. When a fault is fixed in
 * Powertools, its scenario fails here.
 */
let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    tables: { lineclear: tableDefinition(), powertools: { hash: 'id' } },
  })
})
afterAll(() => cloud.stop())

const version = manifest.devDependencies['@aws-lambda-powertools/idempotency']

describe(`Powertools idempotency ${version}, beside Lineclear`, () => {
  it.each(scenarios)('$fault', async (scenario) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const endpoint = cloud.endpoints.dynamodb ?? ''
    const [ours, theirs] = [lineclear(endpoint), powertools(endpoint)]
    const seen = { lineclear: await scenario.play(ours), powertools: await scenario.play(theirs) }
    expect(seen).toStrictEqual({ lineclear: scenario.lineclear, powertools: scenario.powertools })
    ours.client.destroy()
    theirs.client.destroy()
  })
})
