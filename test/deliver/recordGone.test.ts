import { memoryStore } from 'lineclear/testing'
import type { Store } from 'lineclear'
import { expect, it } from 'vitest'
import { consumerOf } from './consumerOf.ts'

it.each([
  ['is gone', true, 'its record is gone, deleted by hand or by a restore'],
  ['has another holder', false, 'another attempt had taken over'],
])('an end whose record %s says so', async (_what, isGone, said) => {
  const before = memoryStore()
  let table = before
  const store: Store = new Proxy(before, { get: (_, name) => Reflect.get(table, name) as unknown })
  const { send, deliver, logger } = consumerOf(
    async () => {
      const [token] = before.items()
      const pk = token?.['pk']
      if (typeof pk !== 'string') throw new Error('no token')
      const key = { pk, sk: 'token' }
      if (isGone) table = memoryStore()
      else await before.update([{ key, where: [], set: { attemptId: 'other' } }])
    },
    { store },
  )
  expect(await deliver(send('{}'))).toBe(true)
  expect(logger.lines.map(({ message }) => message)).toContainEqual(expect.stringContaining(said))
})
