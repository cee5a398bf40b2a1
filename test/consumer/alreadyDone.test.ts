import { RetryableError, StoreUnavailableError } from 'lineclear'
import { expect, it } from 'vitest'
import { consumerOf } from '../deliver/consumerOf.ts'

const HOUR = 3_600_000

it.each([
  ['new', 1, ['completed']],
  ['done', 0, ['duplicate']],
] as const)('of a request that is %s elsewhere it runs %i times', async (known, runs, ends) => {
  let ran = 0
  const asked: unknown[] = []
  const { send, deliver, settled } = consumerOf(() => void (ran += 1), {
    alreadyDone: (payload, { uniqueRequestId }) => {
      asked.push(payload, uniqueRequestId)
      return known
    },
  })
  expect(await deliver(send('{"order":1}'))).toBe(false)
  expect([ran, settled.map(({ kind }) => kind), asked]).toEqual([runs, ends, [{ order: 1 }, 'm1']])
})

it.each([
  ['runs', async () => 'running' as const],
  ['is not known', () => Promise.reject(new Error('the other table is down'))],
  ['has an answer that is none', async () => 'yes' as never],
])(
  'while it %s elsewhere it waits, costs no attempt and never goes to the dead letters',
  async (_, answer) => {
    let ran = 0
    let isOver = false
    const { send, deliver, queue, dead, clock, settled } = consumerOf(() => void (ran += 1), {
      alreadyDone: () => (isOver ? 'new' : answer()),
      retry: { maxAttempts: 1 },
    })
    send('{}')
    for (let nth = 0; nth < 20; nth++) {
      await deliver([...queue.messages])
      clock.advance(60_000)
    }
    expect([ran, dead.messages, queue.messages.length]).toEqual([0, [], 1])
    isOver = true
    await deliver([...queue.messages])
    expect([ran, settled.at(-1)]).toEqual([1, { kind: 'completed' }])
  },
)

it.each([
  ['a copy', undefined],
  ['the message itself', { transport: 'visibility' } as const],
])('is not asked for what has begun here: %s comes back', async (_, retry) => {
  let asks = 0
  let ran = 0
  const { send, deliver, queue, clock } = consumerOf(
    () => {
      ran += 1
      if (ran === 1) throw new Error('not yet')
    },
    {
      alreadyDone: () => {
        asks += 1
        return asks === 1 ? 'new' : 'running'
      },
      ...(retry && { retry }),
    },
  )
  const message = send('{}')
  await deliver(message)
  clock.advance(HOUR)
  await deliver([...queue.messages])
  expect([asks, ran, queue.messages]).toEqual([1, 2, []])
})

it('is asked once for each record of a batch, in which the others run', async () => {
  const ran: unknown[] = []
  const { send, deliver, settled } = consumerOf((payload) => void ran.push(payload), {
    alreadyDone: (payload) => ((payload as { id: number }).id === 2 ? 'done' : 'new'),
  })
  const batch = [1, 2, 3].map((id) => send(JSON.stringify({ id })))
  expect(await deliver(batch)).toBe(false)
  expect(ran).toEqual([{ id: 1 }, { id: 3 }])
  expect(settled.map(({ kind }) => kind).toSorted()).toEqual([
    'completed',
    'completed',
    'duplicate',
  ])
})

it('keeps the message of a request that was begun here while the question was under way', async () => {
  let begin: (() => Promise<unknown>) | undefined
  let ran = 0
  const { send, deliver, settled, clock, queue } = consumerOf(
    () => {
      ran += 1
      if (ran === 1) throw new RetryableError('killed after its first effect')
    },
    {
      alreadyDone: async () => {
        const first = begin
        begin = undefined
        await first?.()
        return first === undefined ? 'new' : 'done'
      },
    },
  )
  const message = send('{}')
  begin = () => deliver(message)
  await deliver(message)
  expect(settled.map(({ kind }) => kind)).not.toContain('duplicate')
  clock.advance(HOUR)
  await deliver([...queue.messages])
  expect([ran, settled.at(-1)]).toEqual([2, { kind: 'completed' }])
})

it.each([
  ['is none', async () => 'yes' as never, 'error'],
  ['is forgotten', async () => undefined as never, 'error'],
  ['fails', () => Promise.reject(new Error('down')), 'warn'],
])('an answer that %s is in the log', async (_, alreadyDone, level) => {
  const { send, deliver, logger } = consumerOf(() => {}, { alreadyDone })
  await deliver(send('{}'))
  const warned = logger.lines.filter((line) => line.level === 'warn' || line.level === 'error')
  expect(warned).toMatchObject([
    { level, message: 'not known whether it was done before: the record waits' },
  ])
})

it('waits while the table does not answer', async () => {
  let asked = 0
  const { send, deliver, settled, store } = consumerOf(() => {}, {
    alreadyDone: () => {
      asked += 1
      return 'new'
    },
  })
  store.read = async (keys) =>
    keys.map(() => ({ kind: 'failed', error: new StoreUnavailableError('no answer') }))
  await expect(deliver(send('{}'))).rejects.toThrow('the store did not answer')
  expect([asked, settled.map(({ kind }) => kind)]).toEqual([0, ['failed']])
})
