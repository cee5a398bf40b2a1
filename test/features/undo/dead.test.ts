import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { emptyAll, flowHarness, startFlowCloud } from '../../flow/flowHarness.ts'
import { describeDeadRequests } from './deadRequests.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

// Those at which it is decided. All of them: `dead.proof.test.ts`.
const CALLS = [2, 3, 4, 5]

describeDeadRequests(() => ({ cloud, open: async () => flowHarness(cloud) }), CALLS)
