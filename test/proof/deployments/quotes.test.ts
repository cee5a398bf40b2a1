import { describe, expect, it } from 'vitest'
import { playSome } from './play.ts'
import { ROWS } from './quoteRows.ts'
import { scriptOf } from './quotes.ts'

describe.each(Object.entries(ROWS).map(([what, row], nth) => ({ what, row, nth })))(
  'a flow that waits for answers: $what',
  ({ row, nth }) => {
    it.each(['newest', 'every'] as const)(
      'one effect per request, or a dead letter that says why: order %s',
      async (order) => {
        const from = nth + (order === 'every' ? 2 : 0)
        expect(await playSome(scriptOf(row, order), from)).toEqual({})
      },
    )
  },
)
