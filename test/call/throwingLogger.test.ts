import { idempotent } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'

const throwing = (): never => {
  throw new Error('no disk')
}
const logger = { debug: throwing, info: throwing, warn: throwing, error: throwing }

it('a logger that throws keeps no call from being run, replayed or refused', async () => {
  let runs = 0
  const options = { store: memoryStore(), name: 'pay', key: (id: string) => id, logger }
  const charge = idempotent(options, async (id: string) => `${id} ${(runs += 1)}`)
  expect([await charge('a'), await charge('a')]).toEqual(['a 1', 'a 1'])
  await expect(charge('')).rejects.toThrow(/key/)
})
