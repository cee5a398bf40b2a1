import { TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import type { Message } from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { deliver, receive } from '../../deliver/deliver.ts'
import { emptyAll, send } from '../../flow/flowHarness.ts'
import { consumerOn, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

/** A request that has failed, and the cure of its cause. */
async function deadRequest() {
  const harness = await operatorHarness(cloud)
  const ran: unknown[] = []
  let isBroken = true
  const handler = consumerOn(
    harness,
    (order) => {
      if (isBroken) throw new TerminalError('no')
      ran.push(order)
    },
    { id: (order) => (order as { id: string }).id },
  )
  await send(cloud, 'book', { id: 'r1' })
  await deliver(cloud, 'book', handler)
  isBroken = false
  return { ...harness, ran, work: async () => deliver(cloud, 'book', handler) }
}

describe('lineclear redrive', () => {
  it.each(['orders/r1', 'r1'])('%s sends its dead letter back, by a plan', async (id) => {
    const { cli, apply, ran, work } = await deadRequest()
    const planned = await cli('redrive', id)
    expect(planned.code).toBe(0)
    expect(planned.out).toContain('1 dead letter would go to')
    expect(planned.out).toMatch(new RegExp(`lineclear .*redrive ${id} --apply [0-9a-f]{8}`))
    expect((await apply('redrive', id)).out).toContain('1 dead letter sent to')
    await work()
    expect(ran).toEqual([{ id: 'r1' }])
    // As after a plan of dlq redrive.
    const place = id === 'r1' ? 'all dead-letter queues:' : 'dead'
    const done = `dlq redrive +${place} r1 .*applied: 1 of 1`
    expect((await cli('explain', '--history', '--action', 'dlq redrive')).out).toMatch(
      new RegExp(done),
    )
    for (const of of ['r1', 'orders/r1']) {
      expect((await cli('explain', '--history', of)).out).toMatch(new RegExp(done))
    }
    expect((await cli('status', '--handover')).out).toMatch(
      /dlq redrive .*r1, plan \w+, applied: 1 of 1/,
    )
  })

  it('says what to type where there is no dead letter', async () => {
    const { cli, apply, work } = await deadRequest()
    await apply('redrive', 'orders/r1')
    await work()
    const done = await cli('redrive', 'orders/r1')
    expect(done).toMatchObject({ code: 1 })
    expect(done.out).toContain('no dead letter of it that could be sent back')
    expect(done.out).toContain('lineclear explain orders/r1')
    expect(await cli('redrive', 'never/seen')).toMatchObject({ code: 4 })
  })
})

describe('a function that is killed each time', () => {
  const POISON = { id: 'order-1' }

  /** The first attempt is claimed and never ends, and SQS moves the message. */
  async function killed(id?: (order: unknown) => string) {
    const harness = await operatorHarness(cloud)
    const handler = consumerOn(harness, () => new Promise(() => {}), id ? { id } : {})
    await send(cloud, 'book', POISON)
    const [record] = await receive(cloud, 'book')
    if (record === undefined) throw new Error('nothing was received')
    void handler({ Records: [record] }, lambdaContext())
    const of = id?.(POISON) ?? record.messageId
    await vi.waitFor(async () =>
      expect(await harness.item(`lock#orders/${of}`, 'token')).toBeDefined(),
    )
    await moved(record)
    return { ...harness, id: `orders/${of}` }
  }

  /** As SQS answers of what it has moved: the message keeps its id. Another one stays where it is. */
  async function moved({ messageId, body }: SQSRecord) {
    await send(cloud, 'dead', JSON.parse(body))
    await send(cloud, 'dead', { id: 'order-2' })
    const sent = cloud.sqs.send.bind(cloud.sqs)
    const DeadLetterQueueSourceArn = cloud.queueArn('book')
    vi.spyOn(cloud.sqs, 'send').mockImplementation((async (command: never) => {
      const answer = (await sent(command)) as { Messages?: readonly Message[] }
      const Messages = answer.Messages?.map((each) => ({
        ...each,
        ...(each.Body === body && { MessageId: messageId }),
        Attributes: { ...each.Attributes, DeadLetterQueueSourceArn },
      }))
      return { ...answer, ...(Messages && { Messages }) }
    }) as never)
  }

  afterEach(() => vi.restoreAllMocks())

  it.each([
    ['by its message id', undefined],
    ['by the id in its payload', () => 'order-1'],
  ])('has a dead letter, which is found %s', async (_, idOf) => {
    const { cli, id } = await killed(idOf)
    const { code, out } = await cli('redrive', id)
    expect([code, out]).toEqual([0, expect.stringContaining('1 dead letter would go to')])
    expect(out).toContain('1 moved of queue book')
    expect(out).toContain('1 not selected')
  })
})
