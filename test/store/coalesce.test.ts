import { expect, it } from 'vitest'
import { coalesce } from '../../src/library/protocol/store/coalesce.ts'

it('a request without an outcome is not taken for accepted', async () => {
  const send = coalesce<string, Error | undefined>(async () => [undefined], {
    maxEntries: 2,
    maxWait: 0,
    expectsMore: () => false,
  })
  const outcomes = await Promise.allSettled([send('a'), send('b')])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})

it('each request gets its own outcome', async () => {
  const send = coalesce<string, string>(async (requests) => requests.map((each) => `to ${each}`), {
    maxEntries: 3,
    maxWait: 0,
    expectsMore: () => false,
  })
  const outcomes = await Promise.all([send('a'), send('b'), send('c'), send('d')])
  expect(outcomes).toEqual(['to a', 'to b', 'to c', 'to d'])
})
