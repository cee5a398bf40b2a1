import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { postgresEffects } from 'lineclear/postgres'
import { expect, it } from 'vitest'
import { attempt, book, sqlOf } from './attempts.ts'
import { openDatabase, poolOf } from './database.ts'

it('an effect is made once, and its result is the same in every attempt, the first included', async () => {
  const { effects, bookings } = await openDatabase()
  const results: unknown[] = []
  for (const fence of [1, 2, 3]) {
    if (fence > 1) await effects.raise(attempt(fence))
    const made = sqlOf(effects, attempt(fence)).sql('book', async (tx) => {
      await book(tx, `${fence}`)
      return { at: new Date(5), by: fence, none: undefined, text: 'a\0b' }
    })
    results.push(await made)
  }
  expect(await bookings()).toEqual(['1'])
  const first = { at: new Date(5), by: 1, none: undefined, text: 'a\0b' }
  expect(results).toEqual([first, first, first])
})

it('the same name in another stage of the run is another effect', async () => {
  const { effects, bookings } = await openDatabase()
  const run = { subject: 'flow#trip/a', request: 'r', epoch: 1 }
  for (const stage of ['book', 'pay'])
    await sqlOf(effects, attempt(1, { ...run, stage })).sql('book', (tx) => book(tx, stage))
  expect(await bookings()).toEqual(['book', 'pay'])
})

it('what the function throws rolls the transaction back, and the name may be used again', async () => {
  const { effects, bookings } = await openDatabase()
  const { sql } = sqlOf(effects, attempt(1))
  const failed = sql('book', async (tx) => {
    await book(tx, 'first')
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  await sql('book', (tx) => book(tx, 'second'))
  expect(await bookings()).toEqual(['second'])
})

it('an error of a statement reaches the handler with its SQLSTATE', async () => {
  const { effects } = await openDatabase()
  const failed = sqlOf(effects, attempt(1)).sql('book', (tx) => tx.query('SELECT 1 / 0'))
  await expect(failed).rejects.toMatchObject({ code: '22012' })
})

it('calls side by side run one after the other', async () => {
  const { effects, bookings } = await openDatabase()
  const { sql } = sqlOf(effects, attempt(1))
  const names = ['a', 'b', 'c', 'd', 'e']
  await Promise.all(names.map((name) => sql(name, (tx) => book(tx, name))))
  expect(await bookings()).toEqual(names)
})

it('a second effect under one name is refused', async () => {
  const { effects } = await openDatabase()
  const { sql } = sqlOf(effects, attempt(1))
  await sql('book', (tx) => book(tx, '1'))
  await expect(sql('book', (tx) => book(tx, '2'))).rejects.toThrow(
    "ctx.sql('book'): expected a name that no other sql of this handler has",
  )
  await expect(sql('', () => 1)).rejects.toThrow('ctx.sql: name')
  await expect(sql('c', 5 as never)).rejects.toThrow("ctx.sql('c'): expected a function")
})

it('within the function ctx may not be used, beside it it may', async () => {
  const { effects } = await openDatabase()
  const { sql, assertOutside } = sqlOf(effects, attempt(1))
  const within = sql('book', () => assertOutside())
  assertOutside()
  await expect(within).rejects.toThrow("within the function of ctx.sql('book')")
})

it('the result of a query is stored as data', async () => {
  const { effects } = await openDatabase()
  const results: unknown[] = []
  for (const fence of [1, 2]) {
    results.push(
      await sqlOf(effects, attempt(fence)).sql('book', (tx) => tx.query('SELECT 1 AS one')),
    )
  }
  const result = { rows: [{ one: 1 }], rowCount: 1, command: 'SELECT' }
  expect(results).toEqual([result, result])
})

it('nothing is committed when the result cannot be stored', async () => {
  const { effects, bookings } = await openDatabase()
  const { sql } = sqlOf(effects, attempt(1))
  const made = sql('book', async (tx) => {
    await book(tx, '1')
    return { run: [() => 5] }
  })
  await expect(made).rejects.toMatchObject({ code: 'CONFIG' })
  await expect(made).rejects.toThrow('Nothing was committed')
  expect(await bookings()).toEqual([])
})

it('a caught error of a statement does not pass for a commit', async () => {
  const { effects, bookings, count } = await openDatabase()
  const made = sqlOf(effects, attempt(1)).sql('book', async (tx) => {
    await book(tx, '1')
    await tx.query('SELECT 1 / 0').catch(() => {})
  })
  await expect(made).rejects.toMatchObject({ code: 'RETRYABLE' })
  await expect(made).rejects.toThrow('set a savepoint')
  expect([await bookings(), await count('lineclear_mark')]).toEqual([[], 0])
})

it('a function that commits by itself is found out, and not repeated', async () => {
  const { effects, bookings } = await openDatabase()
  const run = (fence: number) =>
    sqlOf(effects, attempt(fence)).sql('book', async (tx) => {
      await book(tx, `${fence}`)
      await tx.query('COMMIT')
    })
  await expect(run(1)).rejects.toThrow('has ended the transaction by itself')
  await run(2)
  expect(await bookings()).toEqual(['1'])
})

it('a query after the end of the function is refused', async () => {
  const { effects, bookings } = await openDatabase()
  let late = Promise.resolve<unknown>(undefined)
  const gate = Promise.withResolvers<void>()
  await sqlOf(effects, attempt(1)).sql('book', (tx) => {
    late = gate.promise.then(() => book(tx, 'late'))
  })
  gate.resolve()
  await expect(late).rejects.toThrow('its transaction with it')
  expect(await bookings()).toEqual([])
})

it.each(['read committed', 'repeatable read', 'serializable'] as const)(
  'attempts that meet at %s make an effect once',
  async (isolation) => {
    const { effects, bookings } = await openDatabase({ isolation })
    const attempts = Array.from({ length: 8 }, (_, index) => index + 1)
    const made = await Promise.allSettled(
      attempts.map((fence) => sqlOf(effects, attempt(fence)).sql('book', (tx) => book(tx, 'x'))),
    )
    expect(await bookings()).toEqual(['x'])
    const refused = made.filter(({ status }) => status === 'rejected')
    for (const each of refused) expect(each).toMatchObject({ reason: { code: 'SUPERSEDED' } })
  },
)

it('a serialization failure repeats the whole transaction, and is not stored', async () => {
  const { effects, pool } = await openDatabase({ isolation: 'serializable' })
  await pool.query("INSERT INTO bookings (id, by) VALUES ('a', '0')")
  let tries = 0
  const made = await sqlOf(effects, attempt(1)).sql('add', async (tx) => {
    tries += 1
    const { rows } = await tx.query<{ by: string }>("SELECT by FROM bookings WHERE id = 'a'")
    if (tries < 3) await pool.query("UPDATE bookings SET by = (by::int + 10)::text WHERE id = 'a'")
    const sum = Number(rows[0]?.by) + 1
    await tx.query("UPDATE bookings SET by = $1 WHERE id = 'a'", [sum])
    return sum
  })
  expect([tries, made]).toEqual([3, 21])
})

it('a deadlock repeats the whole transaction', async () => {
  const { effects, pool, bookings } = await openDatabase()
  await pool.query("INSERT INTO bookings (id, by) VALUES ('a', '0'), ('b', '0')")
  const both = (subject: string, ids: readonly string[]) => {
    let isFirst = true
    return sqlOf(effects, attempt(1, { subject })).sql('add', async (tx) => {
      for (const id of ids) {
        await tx.query('UPDATE bookings SET by = (by::int + 1)::text WHERE id = $1', [id])
        if (isFirst) await new Promise((resolve) => setTimeout(resolve, 50))
        isFirst = false
      }
    })
  }
  await Promise.all([both('x', ['a', 'b']), both('y', ['b', 'a'])])
  expect([await bookings('a'), await bookings('b')]).toEqual([['2'], ['2']])
})

it('missing tables are an outage with a cure, not a failure of the record', async () => {
  const { effects, pool } = await openDatabase()
  await pool.query('DROP TABLE lineclear_mark')
  const made = sqlOf(effects, attempt(1)).sql('book', (tx) => book(tx, '1'))
  await expect(made).rejects.toMatchObject(SET_UP)
  await expect(made).rejects.toThrow('"lineclear_mark" does not exist')
  await expect(made).rejects.toThrow(
    'the record stays on its queue, and the attempt does not count',
  )
  await expect(made).rejects.toThrow(
    `console.log(postgresTables())" | psql "$DATABASE_URL"; or call createTables()`,
  )
  await expect(effects.raise(attempt(2))).rejects.toMatchObject(SET_UP)
})

it('missing privileges are an outage with the statement that grants them', async () => {
  const { url, pool } = await openDatabase()
  const schema = /test_\w+$/.exec(url)?.[0] ?? ''
  const role = `role_of_${schema}`
  await pool.query(`CREATE ROLE ${role} LOGIN`)
  const poor = poolOf(url.replace('postgres@', `${role}@`))
  const effects = postgresEffects(poor, { schema })
  const refused = effects.raise(attempt(2))
  await expect(refused).rejects.toMatchObject(SET_UP)
  const [, statements = ''] = /with the name of the role: (.*)$/.exec(await textOf(refused)) ?? []
  expect(statements).toContain('GRANT USAGE ON SCHEMA')
  await pool.query(statements.replaceAll('TO role', `TO ${role}`))
  await effects.raise(attempt(2))
  expect(await effects.deleteExpired()).toBe(0)
})

it('the command in the error creates the tables', async () => {
  const { pool } = await openDatabase()
  const schema = `missing_${process.pid}`
  const effects = postgresEffects(pool, { schema })
  const text = await textOf(effects.raise(attempt(2)))
  const [, first = '', script = ''] = /them: (.*); then node .* -e "(.*)" \| psql/.exec(text) ?? []
  await pool.query(first)
  const node = ['--conditions=lineclear:source', '--input-type=module', '-e', script]
  await pool.query((await promisify(execFile)(process.execPath, node)).stdout)
  await effects.raise(attempt(2))
  expect(await effects.deleteExpired()).toBe(0)
})

it('a database that lets nobody in is an outage, not a failure of the record', async () => {
  const { url } = await openDatabase()
  const effects = postgresEffects(poolOf(url.replace(/\/[^/?]*\?/, '/nowhere?')))
  const made = sqlOf(effects, attempt(1)).sql('book', (tx) => book(tx, '1'))
  await expect(made).rejects.toMatchObject(SET_UP)
  await expect(made).rejects.toThrow('cannot begin a transaction (error: database "nowhere"')
})

const SET_UP = { code: 'STORE_UNAVAILABLE', reason: 'setUp' }

async function textOf(refused: Promise<unknown>): Promise<string> {
  return refused.then(
    () => '',
    (error: unknown) => String(error),
  )
}

it('a server that does not listen is an outage', async () => {
  const effects = postgresEffects(poolOf('postgres://postgres@127.0.0.1:1/x'))
  await expect(effects.raise(attempt(2))).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    reason: 'noAnswer',
  })
})

it('tables may stand in a schema of their own', async () => {
  const { pool } = await openDatabase()
  const schema = `apart_${process.pid}`
  await pool.query(`CREATE SCHEMA ${schema}`)
  const effects = postgresEffects(pool, { schema })
  await effects.createTables()
  await effects.createTables()
  await sqlOf(effects, attempt(1)).sql('book', (tx) => book(tx, '1'))
  const { rowCount } = await pool.query(`SELECT * FROM ${schema}.lineclear_mark`)
  expect(rowCount).toBe(1)
})

it('ids that PostgreSQL cannot store, or not index, are hashed', async () => {
  const { effects, bookings } = await openDatabase()
  const subjects = ['a\0b', 'a\0c', '\ud800', 'x'.repeat(2_000), 'x'.repeat(2_001)]
  for (const subject of subjects) {
    for (const fence of [1, 2])
      await sqlOf(effects, attempt(fence, { subject })).sql('\0', (tx) => book(tx, 'x'))
  }
  expect(await bookings()).toHaveLength(subjects.length)
})

it('wrong clients and options are refused at once, or before anything is done', async () => {
  const { pool } = await openDatabase()
  expect(() => postgresEffects({} as never)).toThrow('the first argument')
  expect(() => postgresEffects(pool, { schema: 'a"b' })).toThrow('schema')
  expect(() => postgresEffects(pool, { isolation: 'chaos' as never })).toThrow('isolation')
  expect(() => postgresEffects(pool, { tables: 'x' } as never)).toThrow('tables')
  const builder = postgresEffects({
    transaction: (work: (tx: unknown) => Promise<unknown>) => work({}),
  } as never)
  await expect(builder.raise(attempt(2))).rejects.toMatchObject({ code: 'CONFIG' })
})
