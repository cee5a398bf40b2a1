import { expect, it } from 'vitest'
import { coalesce } from '../../src/store/coalesce.ts'

it('a request without an outcome is not taken for accepted', async () => {
  const send = coalesce<string, Error | undefined>(async () => [undefined], {
    maxEntries: 2,
    maxWait: 0,
    expectsMore: () => false,
  })
  const outcomes = await Promise.allSettled([send('a'), send('b')])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
})
