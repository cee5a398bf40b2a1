import { describe, expect, it } from 'vitest'
import { attempt, sqlOf } from './attempts.ts'
import { CLIENTS, openOn } from './clients.ts'
import type { Cut } from './proxy.ts'

// The clients pause before they connect again.
describe.each(Object.entries(CLIENTS))('%s', (_name, open) => {
  it.each(['before COMMIT', 'after COMMIT'] as const)(
    'goes on after a connection that was lost %s',
    async (cut) => {
      const cuts: (Cut | undefined)[] = [cut]
      const { effects, book, bookings } = await openOn(open, () => cuts.shift())
      await sqlOf(effects, attempt(1)).sql('book', async (tx) => {
        await book(tx, 'x')
      })
      expect(await bookings()).toEqual(['x'])
    },
  )
})
