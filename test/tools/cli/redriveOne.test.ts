import { TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import type { Message } from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { deliver, receive } from '../../deliver/deliver.ts'
import { emptyAll, send } from '../../flow/flowHarness.ts'
import { sendableId } from '../../../src/library/protocol/record/envelope/lineclearAttributes.ts'
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

  it('typed again it has nothing to do: its plan has the id that was typed', async () => {
    const { cli } = await deadRequest()
    const { plan } = JSON.parse((await cli('redrive', 'r1', '--json')).out) as { plan: string }
    const again = ['redrive', 'r1', '--apply', plan]
    expect((await cli(...again)).out).toContain('1 dead letter sent to')
    const typed = await cli(...again)
    expect(typed).toMatchObject({ code: 0, out: expect.stringContaining('Nothing to do') })
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
  const HASHED = 'Auftrag 1 für uns'

  /** The first attempt is claimed and never ends, and SQS moves the message. */
  async function killed(id?: (order: unknown) => string, payload: object = POISON) {
    const harness = await operatorHarness(cloud)
    const handler = consumerOn(harness, () => new Promise(() => {}), id ? { id } : {})
    await send(cloud, 'book', payload)
    const [record] = await receive(cloud, 'book')
    if (record === undefined) throw new Error('nothing was received')
    void handler({ Records: [record] }, lambdaContext())
    const of = id?.(payload) ?? record.messageId
    await vi.waitFor(async () =>
      expect(await harness.item(`lock#orders/${sendableId(of)}`, 'token')).toBeDefined(),
    )
    await moved(record)
    return { ...harness, id: `orders/${of}` }
  }

  /** As SQS answers of what it has moved: the message keeps its id. Another one stays where it is. */
  async function moved({ messageId, body }: SQSRecord) {
    await send(cloud, 'dead', JSON.parse(body))
    // Its id begins with that of the other one.
    await send(cloud, 'dead', { id: 'order-17', replaces: 'see order-1' })
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

  it.each<{ words: string; idOf?: (order: unknown) => string; payload?: object }>([
    { words: 'by its message id' },
    { words: 'by the id in its payload', idOf: () => 'order-1' },
    { words: 'by an id that is stored as a hash', idOf: () => HASHED, payload: { id: HASHED } },
  ])('has a dead letter, which is found $words', async ({ idOf, payload }) => {
    const { cli, id } = await killed(idOf, payload)
    const { code, out } = await cli('redrive', id)
    expect([code, out]).toEqual([0, expect.stringContaining('1 dead letter would go to')])
    expect(out).toContain('1 moved of queue book')
    expect(out).toContain('1 not selected')
  })

  it('before it has claimed anything: the table has nothing of it', async () => {
    const harness = await operatorHarness(cloud)
    await send(cloud, 'book', POISON)
    const [record] = await receive(cloud, 'book')
    if (record === undefined) throw new Error('nothing was received')
    await moved(record)
    for (const id of ['orders/order-1', 'order-1', record.messageId]) {
      const { code, out } = await harness.cli('redrive', id)
      expect({ id, code, out }).toMatchObject({
        code: 0,
        out: expect.stringContaining('1 dead letter would go to'),
      })
      expect(out).toContain('1 not selected')
    }
    const peeked = await harness.cli('dlq', 'peek', '--id', 'orders/order-1')
    expect(peeked.code).toBe(0)
    expect(peeked.out).toMatch(/^No dead letter is under the id\. SQS has moved these/)
    expect(peeked.out).toContain(record.messageId)
    expect(peeked.out).toContain('1 dead letter shown')
    expect(await harness.cli('dlq', 'peek', '--id', 'order-17')).toMatchObject({ code: 0 })
    expect(await harness.cli('dlq', 'peek', '--id', 'order')).toMatchObject({ code: 4 })
    const explained = await harness.cli('explain', 'orders/order-1')
    expect(explained.err).toContain('lineclear redrive orders/order-1')
  })
})
