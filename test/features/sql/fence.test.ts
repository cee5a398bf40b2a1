import { expect, it } from 'vitest'
import { attempt, book, DAY, sqlOf } from './attempts.ts'
import { openDatabase } from './database.ts'

/** An attempt that has passed the gate and goes on when it is told to. */
async function paused(
  { effects }: Awaited<ReturnType<typeof openDatabase>>,
  by = attempt(1),
): Promise<{ resume(): void; readonly ended: Promise<unknown> }> {
  const [begun, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = sqlOf(effects, by).sql('book', async (tx) => {
    begun.resolve()
    await resume.promise
    return book(tx, `${by.fencing.fence}`)
  })
  ended.catch(() => {})
  await begun.promise
  return { resume: resume.resolve, ended }
}

it('a later attempt waits for a transaction that has passed the gate, and then sees its effect', async () => {
  const database = await openDatabase()
  const { effects, bookings } = database
  const first = await paused(database)
  let isRaised = false
  const raised = effects.raise(attempt(2)).then(() => (isRaised = true))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(isRaised).toBe(false)
  first.resume()
  await raised
  expect(await bookings()).toEqual(['1'])
  const second = await sqlOf(effects, attempt(2)).sql('book', (tx) => book(tx, '2'))
  expect([second, await bookings()]).toEqual(['1', ['1']])
})

it('an attempt that wakes up after a later one has begun cannot pass the gate', async () => {
  const { effects, bookings } = await openDatabase()
  await effects.raise(attempt(2))
  let ran = false
  const late = sqlOf(effects, attempt(1)).sql('book', () => {
    ran = true
  })
  await expect(late).rejects.toMatchObject({ code: 'SUPERSEDED' })
  expect([ran, await bookings()]).toEqual([false, []])
  await expect(effects.raise(attempt(1))).rejects.toMatchObject({ code: 'SUPERSEDED' })
})

it('a frozen attempt keeps the row no longer than its own time', async () => {
  const database = await openDatabase()
  const { effects, bookings } = database
  const first = await paused(database, attempt(1, { left: 300 }))
  await effects.raise(attempt(2))
  first.resume()
  await expect(first.ended).rejects.toBeInstanceOf(Error)
  expect(await bookings()).toEqual([])
})

it('an attempt does not wait for the row longer than its own time', async () => {
  const database = await openDatabase()
  const first = await paused(database)
  const waiting = sqlOf(database.effects, attempt(1, { left: 200 })).sql('book', () => 1)
  await expect(waiting).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', reason: 'busy' })
  first.resume()
  await first.ended
})

it('without time left nothing begins', async () => {
  const { effects } = await openDatabase()
  const late = sqlOf(effects, attempt(1, { left: 0 })).sql('book', () => 1)
  await expect(late).rejects.toMatchObject({ code: 'RETRYABLE' })
  // A dead letter has to leave all the same.
  await effects.raise(attempt(1, { left: 0 }))
})

it('stages of a run are fenced apart, and a newer run refuses all of the older one', async () => {
  const { effects, bookings } = await openDatabase()
  const run = (epoch: number, stage: string) => ({
    subject: 'flow#t/a',
    request: `${epoch}`,
    epoch,
    stage,
  })
  await effects.raise(attempt(5, run(1, 'pay')))
  await sqlOf(effects, attempt(3, run(1, 'ship'))).sql('ship', (tx) => book(tx, 'sibling'))
  const late = sqlOf(effects, attempt(4, run(1, 'pay'))).sql('pay', (tx) => book(tx, 'late'))
  await expect(late).rejects.toMatchObject({ code: 'SUPERSEDED' })
  await effects.raise(attempt(6, run(2, 'book')))
  for (const stage of ['ship', 'pay', 'book']) {
    const old = sqlOf(effects, attempt(9, run(1, stage))).sql('x', (tx) => book(tx, 'old'))
    await expect(old).rejects.toMatchObject({ code: 'SUPERSEDED' })
  }
  expect(await bookings()).toEqual(['sibling'])
})

/** As if this time had passed since the rows were written. */
async function age({ pool }: Awaited<ReturnType<typeof openDatabase>>, milliseconds: number) {
  for (const table of ['lineclear_fence', 'lineclear_mark']) {
    await pool.query(`UPDATE ${table} SET expires = expires - $1 * interval '1 millisecond'`, [
      milliseconds,
    ])
  }
}

it('a fence that is older than the retention refuses nobody, in any stage', async () => {
  const database = await openDatabase()
  const { effects } = database
  const run = { subject: 'flow#t/a', epoch: 7 }
  for (const stage of ['book', 'pay']) await effects.raise(attempt(9, { ...run, stage }))
  await age(database, 30 * DAY + 1_000)
  // The stage record was deleted, and counts from 1 again.
  await effects.raise(attempt(1, { ...run, epoch: 1, stage: 'book' }))
  await effects.raise(attempt(2, { ...run, epoch: 1, stage: 'pay' }))
  await effects.raise(attempt(3, { ...run, epoch: 7, stage: 'book' }))
  await age(database, 30 * DAY + 1_000)
  await effects.raise(attempt(1, { ...run, epoch: 7, stage: 'pay' }))
  const again = sqlOf(effects, attempt(1, { ...run, epoch: 7, stage: 'book' })).sql('book', () => 5)
  expect(await again).toBe(5)
})

it('a mark outlives the fence, and each raise keeps it for another retention', async () => {
  const database = await openDatabase()
  const { effects, bookings, count } = database
  const run = (fence: number) =>
    sqlOf(effects, attempt(fence)).sql('book', (tx) => book(tx, `${fence}`))
  await run(1)
  await age(database, 29 * DAY)
  await effects.raise(attempt(2))
  await age(database, 29 * DAY)
  await effects.deleteExpired()
  await run(2)
  expect(await bookings()).toEqual(['1'])
  await age(database, 32 * DAY)
  expect(await effects.deleteExpired()).toBe(2)
  expect([await count('lineclear_fence'), await count('lineclear_mark')]).toEqual([0, 0])
})

it('whether what has expired was deleted makes no difference', async () => {
  for (const isDeleted of [true, false]) {
    const database = await openDatabase()
    const { effects, bookings } = database
    const run = () => sqlOf(effects, attempt(1)).sql('book', (tx) => book(tx, 'x'))
    await run()
    await age(database, 32 * DAY)
    if (isDeleted) await effects.deleteExpired()
    await run()
    await run()
    expect(await bookings()).toEqual(['x', 'x'])
  }
})
