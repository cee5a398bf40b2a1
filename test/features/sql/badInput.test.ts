import { recordHandler } from 'lineclear'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import { postgresEffects } from 'lineclear/postgres'
import { expect, it } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { clock, startQueues } from '../../proof/badInput/consumerHarness.ts'
import { identityRows } from '../../proof/badInput/identityRows.ts'
import { book } from './attempts.ts'
import { openDatabase, poolOf } from './database.ts'

const idOf = (payload: unknown): string => (payload as { id: string }).id

it('a record with an odd identity books once, one that is refused books nothing', async () => {
  await using cloud = await startQueues()
  const { url, count } = await openDatabase()
  const sql = postgresEffects(poolOf(url))
  const rows = identityRows.filter(({ to }) => to === undefined || to === 'by id')
  expect(rows.length).toBeGreaterThan(20)
  for (const [nth, { what, to, record, items = [], end }] of rows.entries()) {
    const store = memoryStore()
    await store.create(items)
    const before = await count('bookings')
    const handler = recordHandler(
      {
        name: `orders-${nth}`,
        store,
        sql,
        clock,
        logger: quietLogger(),
        clients: { sqs: cloud.sqs },
        queueUrl: cloud.queueUrl('back'),
        deadLetterQueueUrl: cloud.queueUrl('dead'),
        ...(to === 'by id' && { id: idOf }),
      },
      (_order, ctx) => ctx.sql('book', (tx) => book(tx, ctx.uniqueRequestId.slice(0, 20))),
    )
    for (const _time of ['first', 'again']) await handler(sqsEvent(record), lambdaContext())
    const booked = (await count('bookings')) - before
    expect({ what, booked }).toEqual({ what, booked: end === 'completed' ? 1 : 0 })
    expect(await count('lineclear_mark')).toBe(before + booked)
  }
})
