import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import * as crashedWorker from '../../../examples/wild/crashedWorker.ts'
import * as documentsStartedAgain from '../../../examples/wild/documentsStartedAgain.ts'
import * as fifoInParallel from '../../../examples/wild/fifoInParallel.ts'
import * as powertoolsOtherRecord from '../../../examples/wild/powertoolsOtherRecord.ts'
import * as powertoolsTimeout from '../../../examples/wild/powertoolsTimeout.ts'
import * as replayedByPosition from '../../../examples/wild/replayedByPosition.ts'
import * as stalledJob from '../../../examples/wild/stalledJob.ts'
import * as timedOutStep from '../../../examples/wild/timedOutStep.ts'
import * as triggeredTwice from '../../../examples/wild/triggeredTwice.ts'

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}))

it.each([
  { wild: triggeredTwice, before: { charges: 2 }, after: { charges: 1 } },
  { wild: documentsStartedAgain, before: { executions: 5 }, after: { executions: 3 } },
  { wild: stalledJob, before: { price: 'the first' }, after: { price: 'the second' } },
  {
    wild: timedOutStep,
    before: { reserved: 2, mails: 2 },
    after: { reserved: 1, mails: 1 },
  },
  { wild: crashedWorker, before: { minutes: 240 }, after: { minutes: 1 } },
  {
    wild: replayedByPosition,
    before: { charges: 1, checks: 0, shipped: 0 },
    after: { charges: 1, checks: 1, shipped: 1 },
  },
  { wild: fifoInParallel, before: ['cancelled', 'placed'], after: ['placed', 'cancelled'] },
])('before: $before, after: $after', async ({ wild, before, after }) => {
  expect(await wild.before()).toEqual(before)
  expect(await wild.after()).toEqual(after)
})

describe('Powertools', () => {
  let cloud: LocalCloud
  beforeAll(async () => {
    cloud = await startLocalCloud({ tables: { idempotency: { hash: 'id' } } })
  })
  afterAll(() => cloud.stop())

  it.each([
    {
      wild: powertoolsTimeout,
      before: { paid: ['w1', 'w1'] },
      after: { paid: ['w1'], retry: 'UnknownOutcomeError' },
    },
    { wild: powertoolsOtherRecord, before: ['o2'], after: ['o2', 'o1'] },
  ])('before: $before, after: $after', async ({ wild, before, after }) => {
    expect(await wild.before(cloud.dynamodb)).toEqual(before)
    expect(await wild.after()).toEqual(after)
  })
})
