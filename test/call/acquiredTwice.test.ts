import { onceForever, type Store } from 'lineclear'
import { memoryCloud, memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { quietLogger } from '../deliver/quietLogger.ts'

it('of two events that come at once under a key that was only acquired, one is accepted', async () => {
  const cloud = memoryCloud({ queues: { callbacks: {} } })
  const base = memoryStore()
  const on = (store: Store) =>
    onceForever({ store, name: 'callbacks', logger: quietLogger(), clients: cloud.clients })
  const to = { queueUrl: cloud.queueUrl('callbacks') }
  await on(base).acquire('tx-1')
  let isFirst = true
  const slow: Store = {
    ...base,
    update: async (updates) => {
      if (isFirst) {
        isFirst = false
        await on(base).thenEnqueue('tx-1', { amount: 1 }, to)
      }
      return base.update(updates)
    },
  }
  const other = on(slow).thenEnqueue('tx-1', { amount: 2 }, to)
  await expect(other).rejects.toMatchObject({ code: 'REJECTED' })
})
