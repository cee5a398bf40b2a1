import type { StandardSchemaV1 } from '@standard-schema/spec'
import { recordHandler, type RecordHandlerOptions } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { type SimulatedMessage } from '../../src/testing/queues/simulatedQueue.ts'
import { consumerOf } from './consumerOf.ts'
import { nativeRedrive } from '../testing/nativeRedrive.ts'

const HOUR = 3_600_000
const id = (payload: unknown): string => (payload as { tx: string }).tx

/** Books each amount once a request. `isBad`: what the deployment's schema makes of every payload. */
function ledger(
  options: Parameters<typeof consumerOf>[1] = {},
  isBad: () => 'refuse' | 'throw' | undefined = () => undefined,
) {
  const schema: StandardSchemaV1 = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => {
        const bad = isBad()
        if (bad === 'throw') throw new Error('not now')
        return bad === 'refuse' ? { issues: [{ message: 'no' }] } : { value }
      },
    },
  }
  const consumer = consumerOf(
    async (payload, ctx) => {
      const { amount } = payload as { amount: number }
      await ctx.write('book', { TableName: 'ledger', Key: { id: 'all' }, add: { amount } })
    },
    { id, ...options, schema },
  )
  const booked = (): unknown => consumer.store.userItems('ledger')[0]?.['amount'] ?? 0
  const call = (given: object = {}): SimulatedMessage =>
    consumer.send(JSON.stringify({ tx: 'tx-9', amount: 5_000, ...given }))
  const deliverAll = async (): Promise<void> => {
    for (let nth = 0; nth < 10 && consumer.queue.messages.length > 0; nth++) {
      await consumer.deliver([...consumer.queue.messages])
      consumer.clock.advance(HOUR)
    }
  }
  const redrive = async (): Promise<void> => {
    nativeRedrive(consumer.dead, consumer.queue, consumer.clock.now())
    await deliverAll()
  }
  return { ...consumer, booked, call, deliverAll, redrive }
}

describe('an id that only SQS gave', () => {
  it.each([
    ['transparent', 2],
    ['wrapped', 9],
  ] as const)(
    'does not stand above that of the payload, once the schema is corrected and the dead letters come back: %s',
    async (_, attributes) => {
      let bad: 'refuse' | undefined = 'refuse'
      const { booked, call, deliverAll, redrive, reasons } = ledger({ attributes }, () => bad)
      call({ at: 1 })
      call({ at: 2 })
      await deliverAll()
      expect(reasons()).toEqual(['rejected', 'rejected'])
      await redrive()
      expect(reasons()).toEqual(['rejected', 'rejected'])
      bad = undefined
      await redrive()
      call({ at: 3 })
      await deliverAll()
      expect([booked(), reasons()]).toEqual([5_000, []])
    },
  )

  it('does not come before the id of the payload in copies of a message that was unreadable for a while', async () => {
    let bad: 'throw' | undefined = 'throw'
    const { booked, call, deliver, deliverAll, clock, queue, dead } = ledger({}, () => bad)
    await deliver([call({ at: 1 }), call({ at: 2 })])
    expect(queue.messages).toHaveLength(2)
    clock.advance(HOUR)
    bad = undefined
    await deliverAll()
    expect([booked(), dead.messages]).toEqual([5_000, []])
  })

  it('does not reopen, by its own death, a request that was dead-lettered later under the id of the payload', async () => {
    let bad: 'throw' | undefined = 'throw'
    const { call, deliverAll, redrive, dead, store } = ledger(
      { retry: { maxAttempts: 2 } },
      () => bad,
    )
    call()
    await deliverAll()
    expect(dead.messages).toHaveLength(1)
    bad = undefined
    await redrive()
    expect([dead.messages, store.userItems('ledger')]).toEqual([[], [{ id: 'all', amount: 5_000 }]])
  })
})

describe('a stamp', () => {
  const body = JSON.stringify({ tx: 'tx-1', amount: 1 })

  it('that names another request than the payload is dead-lettered as a conflict, and suppresses no request', async () => {
    const { booked, call, deliverAll, sendStamped, reasons } = ledger()
    sendStamped('tx-9', { body })
    await deliverAll()
    expect([booked(), reasons()]).toEqual([0, ['conflict']])
    call()
    await deliverAll()
    expect(booked()).toBe(5_000)
  })

  it('that names another request changes nothing for that one while it waits for its retry', async () => {
    let fails = true
    const ran: unknown[] = []
    const { clock, deliver, queue, send, sendStamped, reasons } = consumerOf(
      (payload) => {
        if (fails) throw new Error('not yet')
        ran.push(payload)
      },
      { id },
    )
    await deliver(send('{"tx":"tx-9"}'))
    await deliver(sendStamped('tx-9', { body }))
    fails = false
    clock.advance(HOUR)
    await deliver([...queue.messages])
    expect([ran, reasons(), queue.messages]).toEqual([[{ tx: 'tx-9' }], ['conflict'], []])
  })

  it('that the payload gives too is the same request', async () => {
    const { booked, call, deliverAll, sendStamped, dead } = ledger()
    sendStamped('tx-9', { body: JSON.stringify({ tx: 'tx-9', amount: 5_000 }) })
    call({ at: 'another time' })
    await deliverAll()
    expect([booked(), dead.messages]).toEqual([5_000, []])
  })

  it('with a death number reopens nothing for another payload; the dead letter itself does', async () => {
    let fails = true
    const ran: string[] = []
    const { clock, dead, deliver, queue, sendStamped, reasons } = consumerOf(
      (payload) => {
        if (fails) throw new Error('no')
        ran.push(JSON.stringify(payload))
      },
      { retry: { maxAttempts: 1 } },
    )
    await deliver(sendStamped('r', { body: '{"to":"Alice"}' }))
    const [death] = dead.messages
    if (death === undefined) throw new Error('no dead letter')
    fails = false
    const forged = sendStamped('r', { body: '{"to":"Mallory"}' })
    Object.assign(forged, { message: { ...death.message, body: '{"to":"Mallory"}' } })
    await deliver(forged)
    expect(reasons()).toEqual(['exhausted', 'conflict'])
    dead.messages = [death]
    await deliver(nativeRedrive(dead, queue, clock.now()))
    expect(ran).toEqual(['{"to":"Alice"}'])
  })
})

describe('a renamed consumer', () => {
  /** The first deployment fails after its effect; the second one has another name. */
  async function renamed(
    formerNames: readonly string[],
    given: Partial<RecordHandlerOptions> = {},
  ) {
    let isRenamed = false
    const { clock, dead, deliver, queue, send, sendStamped, reasons, store, options } = consumerOf(
      async (_payload, ctx) => {
        await ctx.write('once', { TableName: 'sums', Key: { id: 'all' }, add: { n: 1 } })
        if (!isRenamed) throw new Error('not yet')
      },
      given,
    )
    const second = recordHandler(
      { ...options, ...given, name: 'mail', formerNames },
      async (_payload, ctx) => {
        await ctx.write('once', { TableName: 'sums', Key: { id: 'all' }, add: { n: 1 } })
      },
    )
    const sent = send('{}')
    const sum = (): unknown => store.userItems('sums')[0]?.['n']
    return {
      clock,
      dead,
      queue,
      sendStamped,
      reasons,
      sum,
      sent,
      deliver,
      deliverRenamed: (messages: readonly SimulatedMessage[]) => {
        isRenamed = true
        return deliver(messages, {}, second)
      },
    }
  }

  it('refuses copies of requests that began under the old name, and repeats no effect', async () => {
    const { clock, deliver, deliverRenamed, sent, queue, reasons, sum } = await renamed([])
    await deliver(sent)
    clock.advance(HOUR)
    await deliverRenamed([...queue.messages])
    expect([sum(), reasons()]).toEqual([1, ['wrong consumer']])
  })

  it.each(['resend', 'visibility'] as const)(
    'continues the request when formerNames has its old name, and repeats no effect: %s',
    async (transport) => {
      const { clock, deliver, deliverRenamed, sent, queue, dead, sum } = await renamed(['orders'], {
        retry: { transport },
      })
      await deliver(sent)
      clock.advance(HOUR)
      await deliverRenamed([...queue.messages])
      expect([sum(), queue.messages, dead.messages]).toEqual([1, [], []])
    },
  )

  it('refuses the dead letter of another consumer', async () => {
    const { deliver, deliverRenamed, dead, queue, clock, sent, reasons, sum } = await renamed([], {
      retry: { maxAttempts: 1 },
    })
    await deliver(sent)
    expect(reasons()).toEqual(['exhausted'])
    await deliverRenamed(nativeRedrive(dead, queue, clock.now()))
    expect([sum(), reasons()]).toEqual([1, ['wrong consumer']])
  })

  it('refuses it however often it is sent there, and leaves it to its own consumer', async () => {
    const { deliver, deliverRenamed, dead, queue, clock, sent, reasons, sum } = await renamed([], {
      retry: { maxAttempts: 1 },
    })
    await deliver(sent)
    await deliverRenamed(nativeRedrive(dead, queue, clock.now()))
    await deliverRenamed(nativeRedrive(dead, queue, clock.now()))
    expect([sum(), reasons()]).toEqual([1, ['wrong consumer']])
    await deliver(nativeRedrive(dead, queue, clock.now()))
    expect([sum(), reasons()]).toEqual([1, []])
  })
})

it('a forged number of retries loses no message', async () => {
  let fails = true
  let runs = 0
  const { clock, deliver, queue, sendStamped } = consumerOf(() => {
    runs += 1
    if (fails) throw new Error('not yet')
  })
  await deliver(
    [1_000_000, 999_999, 1_000_001].map((nth) => sendStamped(`r${nth}`, { resendNumber: nth })),
  )
  fails = false
  clock.advance(HOUR)
  await deliver([...queue.messages])
  expect([runs, queue.messages]).toEqual([6, []])
})
