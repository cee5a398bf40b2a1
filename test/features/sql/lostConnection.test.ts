import { postgresEffects } from 'lineclear/postgres'
import { expect, it } from 'vitest'
import { attempt, book, sqlOf } from './attempts.ts'
import { openDatabase, poolOf } from './database.ts'
import { type Cut, proxyTo } from './proxy.ts'

async function throughProxy(cutNow: () => Cut | undefined) {
  const database = await openDatabase()
  const proxy = await proxyTo(database.url, cutNow)
  return { ...database, proxy, effects: postgresEffects(poolOf(proxy.url)) }
}

it.each(['before COMMIT', 'after COMMIT'] as const)(
  'a connection lost %s is followed by the same transaction on another one',
  async (cut) => {
    const cuts: (Cut | undefined)[] = [cut, cut]
    const { effects, bookings, proxy } = await throughProxy(() => cuts.shift())
    let runs = 0
    const made = await sqlOf(effects, attempt(1)).sql('book', async (tx) => {
      runs += 1
      await book(tx, 'x')
      return { runs }
    })
    expect(await bookings()).toEqual(['x'])
    // After a COMMIT that was made the first result stands, and the function does not run again.
    const times = cut === 'before COMMIT' ? 3 : 1
    expect([made, runs]).toEqual([{ runs: times }, times])
    expect(proxy.cuts).toBe(2)
  },
)

it('a COMMIT that was made and never answered is found by the next attempt', async () => {
  let isDown = true
  const { effects, bookings } = await throughProxy(() => (isDown ? 'after COMMIT' : undefined))
  const first = sqlOf(effects, attempt(1)).sql('book', async (tx) => book(tx, 'first'))
  await expect(first).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', reason: 'noAnswer' })
  isDown = false
  await effects.raise(attempt(2))
  const second = await sqlOf(effects, attempt(2)).sql('book', (tx) => book(tx, 'second'))
  expect([second, await bookings()]).toEqual(['first', ['first']])
})

it('a connection that is lost again and again is an outage after four tries', async () => {
  const { effects, bookings, proxy } = await throughProxy(() => 'before COMMIT')
  const made = sqlOf(effects, attempt(1)).sql('book', (tx) => book(tx, 'x'))
  await expect(made).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect([proxy.cuts, await bookings()]).toEqual([4, []])
})

it('a session that the server ends within the function is repeated on another connection', async () => {
  const { effects, pool, bookings } = await openDatabase()
  let runs = 0
  await sqlOf(effects, attempt(1)).sql('book', async (tx) => {
    runs += 1
    await book(tx, `${runs}`)
    const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    if (runs === 1) await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
    await tx.query('SELECT 1')
  })
  expect([runs, await bookings()]).toEqual([2, ['2']])
})

it('a session that the server ends while the function does something else does not end the process', async () => {
  const { effects, pool, bookings } = await openDatabase()
  let runs = 0
  await sqlOf(effects, attempt(1)).sql('book', async (tx) => {
    runs += 1
    await book(tx, `${runs}`)
    if (runs > 1) return
    const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
    await new Promise((resolve) => setTimeout(resolve, 50))
  })
  expect([runs, await bookings()]).toEqual([2, ['2']])
})
