import { describe, expect, it } from 'vitest'
import { TABLES } from './days.ts'
import { endsOf } from './lives.ts'

describe.each(TABLES)(
  'a run whose clock jumps by days, when what has expired is %s',
  (_t, deletes) => {
    it('goes on with every answer, or ends with a name', async () => {
      // What is older than the retention is refused by name: two waits of a month for one message.
      expect(await endsOf(deletes)).toEqual({
        '[[{"a":1,"b":2}],[]]': 36,
        '[[],["too old"]]': 18,
      })
    })
  },
)
