import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stableId } from '../../../src/library/base/ids.ts'
import {
  type GrowingDelay,
  retryDelay,
  type RetryDelays,
  chooseTransport,
  MAX_HOPS,
  type TransportChoice,
} from '../../../src/library/protocol/send/retry.ts'

const jitter = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1))
const MINUTES = 60_000

describe('a delay that grows', () => {
  it('grows with every retry, whatever the jitter, up to the longest delay', () => {
    const delay = retryDelay('delay', {})
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), jitter, jitter, (retry, one, other) => {
        expect(delay(retry + 1, other)).toBeGreaterThan(delay(retry, one))
      }),
      { numRuns: 2_000 },
    )
  })

  it('never falls, for any base, factor and limit that are allowed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60_000 }),
        fc.double({ min: 1.5, max: 10, noNaN: true }),
        fc.integer({ min: 0, max: 43_200_000 }),
        fc.integer({ min: 1, max: 999 }),
        jitter,
        jitter,
        (base, factor, max, retry, one, other) => {
          const delay = retryDelay('delay', { base, factor, max })
          const [sooner, later] = [delay(retry, one), delay(retry + 1, other)]
          // At the limit the jitter alone is left.
          const isLimited = base * factor ** retry > max
          expect(isLimited || later >= sooner).toBe(true)
          for (const each of [sooner, later]) {
            expect(each).toBeGreaterThanOrEqual(0)
            expect(each).toBeLessThanOrEqual(max)
          }
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('no delay stays no delay, however many retries', () => {
    const delay = retryDelay('delay', { base: 0, factor: 10 })
    expect([1, 2, 400].map((retry) => delay(retry, 0.5))).toEqual([0, 0, 0])
  })

  it('at the longest delay the jitter still applies', () => {
    const delay = retryDelay('delay', {})
    expect([0, 0.5, 1].map((each) => delay(12, each))).toEqual([
      12 * MINUTES,
      15 * MINUTES,
      15 * MINUTES,
    ])
  })

  it('starts at 2 s, doubles, and ends at 15 minutes', () => {
    const delay = retryDelay('delay', {})
    expect([1, 2, 3, 4].map((retry) => delay(retry, 0.5))).toEqual([2_000, 4_000, 8_000, 16_000])
    expect(delay(20, 0.5)).toBe(15 * MINUTES)
    expect(delay(1_000, 1)).toBe(15 * MINUTES)
  })

  it('spreads by 20 % either way', () => {
    const delay = retryDelay('delay', { base: 10_000 })
    expect([0, 0.5, 1].map((each) => delay(1, each))).toEqual([8_000, 10_000, 12_000])
  })

  it('1,000 records that failed together do not come back together', () => {
    const delay = retryDelay('delay', {})
    const jitters = Array.from({ length: 1_000 }, (_, nth) => {
      const digest = stableId(`order-${nth}`, 'jitter', '4')
      return Buffer.from(digest.slice(0, 4), 'base64url').readUInt16BE(0) / 0xffff
    })
    const delays = jitters.map((each) => delay(5, each))
    expect(new Set(delays).size).toBeGreaterThan(900)
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(25_600)
    expect(Math.max(...delays)).toBeLessThanOrEqual(38_400)
    const soon = delays.filter((each) => each < 32_000).length
    expect(soon).toBeGreaterThan(400)
    expect(soon).toBeLessThan(600)
  })

  it('1,000 jitters make 1,000 delays', () => {
    const delay = retryDelay('delay', { base: 60_000 })
    const delays = Array.from({ length: 1_000 }, (_, nth) => delay(3, nth / 999))
    expect(new Set(delays).size).toBe(1_000)
  })

  it.each([1.49, 1, 0, -2, Number.NaN])(
    'refuses the factor %d: a later delay could be the shorter one',
    (factor) => {
      expect(() => retryDelay('delay', { factor })).toThrow(/delay\.factor: expected .* 1\.5/)
    },
  )

  it.each([{ base: '-1s' }, { base: Number.NaN }, { max: 'soon' }, { max: -1 }])(
    'refuses %o',
    (options) => {
      expect(() => retryDelay('delay', options as GrowingDelay)).toThrow(/delay\.(base|max)/)
    },
  )
})

describe('a delay may also be a time or a list of times', () => {
  it.each<[RetryDelays, readonly number[]]>([
    ['10s', [10_000, 10_000, 10_000]],
    [250, [250, 250, 250]],
    [
      ['1s', '1m'],
      [1_000, 60_000, 60_000],
    ],
    [(retry) => retry * 7, [7, 14, 21]],
  ])('%j', (delays, expected) => {
    const delay = retryDelay('retry.delay', delays)
    expect([1, 2, 3].map((retry) => delay(retry, 0.5))).toEqual(expected)
  })
})

const choice: TransportChoice = { wanted: 'resend', fifo: false, hops: 0 }

describe('chooseTransport', () => {
  it.each<[string, Partial<TransportChoice>, 'resend' | 'visibility']>([
    ['a standard queue', {}, 'resend'],
    ['the last hop but one', { hops: MAX_HOPS - 1 }, 'resend'],
    ['hops run out', { hops: MAX_HOPS }, 'visibility'],
    ['hops ran out long ago', { hops: 1_000 }, 'visibility'],
    ['a FIFO queue', { fifo: true }, 'visibility'],
    ['visibility was asked for', { wanted: 'visibility' }, 'visibility'],
  ])('%s', (_, given, expected) => {
    expect(chooseTransport({ ...choice, ...given })).toBe(expected)
  })

  it('leaves hops to others: Lambda cuts a chain at 16', () => {
    expect(MAX_HOPS).toBeLessThan(16)
  })
})
