import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { recordHandler, RetryableError, TerminalError } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { counted, DAY, daysCloud, TABLES } from './days.ts'

/** Days after which a dead letter is redriven, or the copy for a retry received: SQS keeps neither for more than 14. */
const WAITS = [0.1, 1, 13.9]
const HISTORIES = WAITS.flatMap((once) =>
  WAITS.flatMap((again) =>
    [0, 1, 2].flatMap((lostBefore) =>
      (['dies', 'is tried again'] as const).map((how) => ({
        waits: [once, again],
        lostBefore,
        how,
      })),
    ),
  ),
)
type History = (typeof HISTORIES)[number]

/** Makes its effect and fails; its record is lost, by hand or by a restore, before one of two redrives, or not at all (2). */
async function lived(deletes: boolean, { waits, lostBefore, how }: History, carries = true) {
  const days = daysCloud(deletes)
  let table = days.store
  const store = new Proxy(table, { get: (_, name) => Reflect.get(table, name) as unknown })
  const failure = { is: true }
  const effects: string[] = []
  const handler = recordHandler(
    { ...days.options, store, name: 'orders', retry: { delay: () => 3_600_000, maxAttempts: 3 } },
    async (_order, ctx) => {
      await ctx.write('count', counted('all'))
      effects.push(ctx.uniqueRequestId)
      if (failure.is) throw how === 'dies' ? new TerminalError('no') : new RetryableError('later')
    },
  )
  const deliver = () => days.cloud.deliver('work', handler)
  const count = () => Number(table.userItems('counts')[0]?.['n'] ?? 0)
  let before = 0
  const lose = (): void => {
    before += count()
    table = memoryStore({ clock: days.cloud.clock, deletesExpired: deletes })
  }
  days.cloud.send('work', { id: 'r1' })
  await deliver()
  for (const [nth, wait] of waits.entries()) {
    if (nth === lostBefore) lose()
    days.cloud.clock.advance(wait * DAY)
    failure.is = nth === 0
    if (carries) await days.redrive('work')
    else await asNew(days)
    await deliver()
  }
  return { made: before + count(), reasons: days.reasons() }
}

/** Copies of dead letters without what Lineclear wrote on them. */
async function asNew({ cloud, url }: ReturnType<typeof daysCloud>): Promise<void> {
  await cloud.drain({
    dead: async ({ Records }) => {
      for (const { body: MessageBody } of Records)
        await cloud.clients.sqs.send(new SendMessageCommand({ QueueUrl: url('work'), MessageBody }))
    },
  })
}

describe.each(TABLES)('a record that is gone, when what has expired is %s', (_table, deletes) => {
  it('is no first time: its effect is made once, and its message says that the record is lost', async () => {
    for (const history of HISTORIES) {
      const { made, reasons } = await lived(deletes, history)
      const isLost = history.lostBefore < 2 && reasons.includes('lost record')
      expect([made, isLost], JSON.stringify(history)).toEqual([1, history.lostBefore < 2])
    }
  })
})

it('without the death that a dead letter carries, the effect is repeated', async () => {
  const [history] = HISTORIES
  if (history === undefined) throw new Error('there are histories')
  const { made } = await lived(true, history, false)
  expect(made).toBeGreaterThan(1)
})
