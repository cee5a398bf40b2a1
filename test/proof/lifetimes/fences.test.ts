import { describe, expect, it } from 'vitest'
import { defineFlow, RetryableError, SupersededError } from 'lineclear'
import { z } from 'zod'
import type { SqlAttempt, SqlEffects } from '../../../src/library/run/context/sqlEffects.ts'
import type { Stored } from '../../../src/library/run/context/context.ts'
import { type FenceRow, raised } from '../../../src/library/features/sql/effects.ts'
import { type DaysCloud, daysCloud, TABLES } from './days.ts'

const Booking = z.object({ key: z.string(), seat: z.string() })

/** The gate of `lineclear/sql` without a database: the fences of subjects, as `raised` leaves them. */
function gateOf(days: DaysCloud) {
  const fences = new Map<string, FenceRow>()
  const pass = async ({ fencing, retention }: SqlAttempt): Promise<void> => {
    const row = raised(fences.get(fencing.subject), fencing, retention, days.cloud.clock.now())
    if (row === undefined) throw new SupersededError('a later attempt has raised the fence')
    fences.set(fencing.subject, row)
  }
  const sql: SqlEffects<string> = {
    raise: pass,
    open: (attempt) => ({
      assertOutside: () => {},
      sql: async <T>(_name: string, work: (tx: string) => T | Promise<T>) => {
        await pass(attempt)
        return (await work('tx')) as Stored<T>
      },
    }),
  }
  return sql
}

describe.each(TABLES)('a fence in SQL, when what has expired is %s', (_table, deletes) => {
  it('that outlives the record of its key, because the retention was shortened, refuses no new request', async () => {
    const days = daysCloud(deletes)
    const sql = gateOf(days)
    const ran: string[] = []
    const deployed = (retention: '30d' | '3d') => {
      const flow = defineFlow({
        ...days.options,
        sql,
        name: 'seats',
        retention,
        key: ({ key }) => key,
        retry: { delay: () => 0, maxAttempts: 3 },
        stages: { book: { schema: Booking, queueUrl: days.url('work'), final: true } },
      })
      const book = flow.stageHandler('book', async ({ seat }, ctx) => {
        await ctx.sql('book', () => ran.push(seat))
        if (seat === 'a') throw new RetryableError('not yet')
      })
      return { flow, book }
    }
    const before = deployed('30d')
    for (const seat of ['z', 'a']) {
      days.cloud.clock.advance(1_000)
      await before.flow.start({ key: 'k', seat })
      await days.cloud.deliver('work', before.book)
    }
    const { flow, book } = deployed('3d')
    await flow.reset('k')
    await days.cloud.deliver('work', book)
    days.day(4)
    await flow.start({ key: 'k', seat: 'b' })
    await days.cloud.deliver('work', book)
    expect([ran, days.reasons()]).toEqual([['z', 'a', 'b'], []])
  })
})
