import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { emptyAll, startFlowCloud } from '../../flow/flowHarness.ts'
import { describeKilledAnswers } from './killedAnswers.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const CALLS = Array.from({ length: 12 }, (_, nth) => nth)

describeKilledAnswers(() => cloud, CALLS)
