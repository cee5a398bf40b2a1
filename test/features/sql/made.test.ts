import { expect, it } from 'vitest'
import { attempt, book, DAY, sqlOf } from './attempts.ts'
import { openDatabase } from './database.ts'

const run = (epoch: number, stage = 'book', request = 'r') => ({
  subject: 'flow#trip/a',
  request,
  epoch,
  stage,
})

it('answers with the effects of one stage of one request, and their results', async () => {
  const { effects } = await openDatabase()
  const { sql } = sqlOf(effects, attempt(1, run(1)))
  await sql('a', () => new Date(5))
  await sql('b', () => undefined)
  await sqlOf(effects, attempt(1, run(1, 'pay'))).sql('c', () => 1)
  await sqlOf(effects, attempt(1, run(1, 'book', 'other'))).sql('d', () => 1)
  const made = await effects.made(attempt(0, run(2)))
  expect(made).toEqual(
    new Map<string, unknown>([
      ['a', new Date(5)],
      ['b', undefined],
    ]),
  )
})

it.each([2, 3])(
  'refuses the ended run from then on, also when epoch %i has begun',
  async (begun) => {
    const { effects, bookings } = await openDatabase()
    if (begun === 3) await effects.raise(attempt(7, run(3, 'book', 'newer')))
    expect((await effects.made(attempt(0, run(2)))).size).toBe(0)
    const late = sqlOf(effects, attempt(9, run(1))).sql('a', (tx) => book(tx, 'late'))
    await expect(late).rejects.toMatchObject({ code: 'SUPERSEDED' })
    const newer = sqlOf(effects, attempt(7, run(3, 'book', 'newer')))
    await newer.sql('a', (tx) => book(tx, 'newer'))
    expect(await bookings()).toEqual(['newer'])
  },
)

it.each(['read committed', 'repeatable read', 'serializable'] as const)(
  'waits for a transaction that has passed the gate, in %s',
  async (isolation) => {
    const { effects } = await openDatabase({ isolation })
    const [begun, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const ended = sqlOf(effects, attempt(1, run(1))).sql('a', async () => {
      begun.resolve()
      await resume.promise
      return 'made'
    })
    await begun.promise
    let isKnown = false
    const made = effects.made(attempt(0, run(2))).finally(() => (isKnown = true))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(isKnown).toBe(false)
    resume.resolve()
    await ended
    expect(await made).toEqual(new Map([['a', 'made']]))
  },
)

it('what has expired was not made, and what was made is kept for another retention', async () => {
  const { effects, pool } = await openDatabase()
  const age = (days: number) =>
    pool.query(`UPDATE lineclear_mark SET expires = expires - $1 * interval '1 day'`, [days])
  await sqlOf(effects, attempt(1, run(1))).sql('a', () => 1)
  await age(30)
  expect((await effects.made(attempt(0, run(2)))).size).toBe(1)
  await age(30)
  expect((await effects.made(attempt(0, { ...run(2), retention: 30 * DAY }))).size).toBe(1)
  await age(40)
  expect((await effects.made(attempt(0, run(2)))).size).toBe(0)
})
