import { describe, expect, it } from 'vitest'
import { compensate, defineFlow, SupersededError } from 'lineclear'
import { z } from 'zod'
import type { SqlAttempt, SqlEffects } from '../../../src/context/sqlEffects.ts'
import type { Stored } from '../../../src/context/context.ts'
import { type FenceRow, raised } from '../../../src/features/sql/effects.ts'
import { DAY, type DaysCloud, daysCloud, TABLES } from './days.ts'

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
    made: async (attempt) => {
      await pass(attempt).catch(() => {})
      return new Map([['book', 'booked']])
    },
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
  it('that an undo has raised does not refuse the next request of its key', async () => {
    const days = daysCloud(deletes)
    const sql = gateOf(days)
    const undone: unknown[] = []
    const flow = defineFlow({
      ...days.options,
      sql,
      name: 'seats',
      retention: '3d',
      key: ({ key }) => key,
      retry: { delay: () => 0, maxAttempts: 1 },
      stages: {
        book: {
          schema: Booking,
          queueUrl: days.url('work'),
          undo: compensate(Booking, { book: (_booking, _ctx, { answer }) => undone.push(answer) }),
        },
      },
      awaitingSteps: {
        paid: { schema: Booking, id: ({ key }) => key, queueUrl: days.url('answers') },
      },
    })
    const ran: string[] = []
    const book = flow.stageHandler('book', async ({ seat }, ctx) => {
      await ctx.sql('book', () => ran.push(seat))
      if (seat === 'a') await ctx.awaitStep('paid', 'p', () => {})
    })
    await flow.start({ key: 'k', seat: 'a' })
    await days.cloud.deliver('work', book)
    await flow.reset('k', { undo: true })
    // The queue is not read for two days.
    days.cloud.clock.advance(2 * DAY)
    await days.cloud.deliver('work', book)
    expect(undone).toEqual(['booked'])
    days.cloud.clock.advance(2 * DAY)
    await flow.start({ key: 'k', seat: 'b' })
    await days.cloud.deliver('work', book)
    await days.cloud.deliver('work', book)
    expect([ran, days.reasons()]).toEqual([['a', 'b'], []])
  })
})
