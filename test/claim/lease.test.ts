import { describe, expect, it } from 'vitest'
import { LEASE_MARGIN_MS, MAX_LAMBDA_MS, timeLeft } from '../../src/library/protocol/claim/lease.ts'

describe('the time that is left', () => {
  const lambda = (left: unknown): object => ({ getRemainingTimeInMillis: () => left })

  it.each([
    [lambda(500), 500],
    [lambda(-5), -5],
    [lambda('500'), undefined],
    [lambda(Number.NaN), undefined],
    [lambda(Infinity), undefined],
    [{ getRemainingTimeInMillis: 500 }, undefined],
    [{}, undefined],
    [null, undefined],
    [undefined, undefined],
    ['getRemainingTimeInMillis', undefined],
  ])('is given by the context, or not known: %o', (context, left) => {
    expect(timeLeft(context)).toBe(left)
  })

  it('is at most that of Lambda, and a lease outlives it by five seconds', () => {
    expect([MAX_LAMBDA_MS, LEASE_MARGIN_MS]).toEqual([5_400_000, 5_000])
  })
})
