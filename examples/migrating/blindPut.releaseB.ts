import { absent, recordHandler, type RecordHandlerOptions } from 'lineclear'
import { z } from 'zod'

const Change = z.object({ changeId: z.string(), orderId: z.string(), state: z.string() })

/** What differs between Lambda and a test. */
type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'logger' | 'queueUrl'>

/** The new consumer. Both may read the queue: a change is put by the one that puts its `taken`. */
export function statesBesidePut(given: Given) {
  return recordHandler(
    { ...given, name: 'states', schema: Change, id: ({ changeId }) => changeId },
    async ({ changeId: id, orderId, state }, ctx) => {
      await ctx.write('state', [
        { TableName: 'taken', Key: { id }, put: { by: 'lineclear' }, guard: absent() },
        { TableName: 'orders', Key: { orderId }, put: { state } },
      ])
    },
  )
}
