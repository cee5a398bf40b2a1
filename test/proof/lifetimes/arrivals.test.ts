import { expect, it } from 'vitest'
import { AGES, ARRIVALS, endOf } from './arrivals.ts'
import { TABLES } from './days.ts'

const VARIANTS = (['old', 'renamed'] as const).flatMap((by) =>
  (['newest', 'every'] as const).flatMap((process) =>
    [true, false].flatMap((fifo) =>
      TABLES.map(
        ([table, deletes]) =>
          [
            `handled by the ${by} names, ${process}, ${fifo ? 'FIFO' : 'standard'}, what has expired is ${table}`,
            by,
            { process, fifo, deletes },
          ] as const,
      ),
    ),
  ),
)

it.each(VARIANTS)(
  'what comes late has its effect once, or an end that a person can read: %s',
  async (_variant, by, options) => {
    for (const [name, arrival] of Object.entries(ARRIVALS)) {
      const ends = []
      for (const age of AGES) ends.push(await endOf(arrival, age, by, options))
      expect([name, ...ends]).toEqual([name, ...arrival.ends])
    }
  },
)
