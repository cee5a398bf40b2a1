import { defineFlow, TerminalError } from 'lineclear'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { redriveDeadLetters } from '../../src/tools/operator/dlq/redrive.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliver, receive } from '../deliver/deliver.ts'
import { quietLogger } from '../deliver/quietLogger.ts'
import { notIn } from '../proof/hostile/mode.ts'
import { flowHarness } from './flowHarness.ts'
import { Booking, counting, Quote } from './trip.ts'

const FIFO = { visibilityTimeout: 18, deadLetter: { queue: 'dead.fifo', maxReceiveCount: 100 } }
let cloud: LocalCloud
beforeAll(async () => {
  const queues = { 'one.fifo': FIFO, 'two.fifo': FIFO, 'quotes.fifo': FIFO, 'dead.fifo': {} }
  cloud = await startLocalCloud({ queues }, { logger: quietLogger() })
})
afterAll(() => cloud.stop())

const calm = notIn(
  ['twice', 'atOnce', 'lost', 'dying', 'ten', 'killed', 'clocks'],
  'it counts deliveries one by one',
)

function ordered() {
  const harness = flowHarness(cloud)
  const flow = defineFlow({
    name: 'trip',
    process: 'every',
    key: ({ key }) => key,
    stages: {
      one: { schema: Booking, queueUrl: cloud.queueUrl('one.fifo') },
      two: { schema: Booking, queueUrl: cloud.queueUrl('two.fifo') },
    },
    awaitingSteps: {
      quote: {
        schema: Quote,
        id: ({ quoteId }) => quoteId,
        queueUrl: cloud.queueUrl('quotes.fifo'),
      },
    },
    ...harness.options,
    retry: { delay: () => 0 },
  })
  return { harness, flow }
}

const redrive = () =>
  redriveDeadLetters({ queue: 'dead.fifo', to: 'two.fifo', sqs: cloud.sqs, mode: 'apply' })

describe('a group of a FIFO queue', () => {
  it('is not held up by a dead letter that waits for the request behind it', calm, async () => {
    const { harness, flow } = ordered()
    const ran: unknown[] = []
    let broken = true
    const one = flow.stageHandler('one', (payload, ctx) => ctx.next('two', payload))
    const two = flow.stageHandler('two', async ({ n }, ctx) => {
      if (broken) throw new TerminalError('broken')
      await ctx.write('n', counting(`n${n}`))
      ran.push(n)
    })
    await flow.start({ key: 'k', n: 1 })
    await deliver(cloud, 'one.fifo', one)
    await deliver(cloud, 'two.fifo', two)
    broken = false
    await flow.start({ key: 'k', n: 2 })
    // The second request has the key before the dead letter of the first is redriven, and sends its message behind it.
    const between = flow.stageHandler('one', async (payload, ctx) => {
      await redrive()
      await ctx.next('two', payload)
    })
    await deliver(cloud, 'one.fifo', between)
    await deliver(cloud, 'two.fifo', two)
    expect(ran).toEqual([2])
    expect(harness.settled.slice(-2)).toEqual([
      { kind: 'deadLettered', reason: 'busy' },
      { kind: 'completed' },
    ])
    await redrive()
    await deliver(cloud, 'two.fifo', two)
    expect(ran).toEqual([2, 1])
    expect([harness.count('n1'), harness.count('n2')]).toEqual([1, 1])
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  it(
    'of answers gets no timeout message, though the external id is the key of the flow',
    calm,
    async () => {
      const { flow } = ordered()
      const one = flow.stageHandler('one', (_payload, ctx) =>
        ctx.awaitStep('quote', ctx.key, () => {}, { timeout: '1h' }),
      )
      await flow.start({ key: 'k', n: 1 })
      await deliver(cloud, 'one.fifo', one)
      expect(await flow.answer('quote', { quoteId: 'k', price: 5 })).toBe('accepted')
      const records = await receive(cloud, 'quotes.fifo')
      const groups = records.map(({ attributes }) => attributes.MessageGroupId)
      expect(records).toHaveLength(2)
      expect(new Set(groups).size).toBe(2)
    },
  )
})
