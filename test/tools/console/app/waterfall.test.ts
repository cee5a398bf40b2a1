import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Drawn,
  legendOf,
  scaleOf,
} from '../../../../src/tools/console/app/request/waterfall.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')
const iso = (milliseconds: number): string => new Date(START + milliseconds).toISOString()

type Bar = Drawn['bars'][number]

function bar(from: number, to: number, marks: readonly object[] = []): Bar {
  const times = { from: iso(from), to: iso(to), open: false, label: `${from}` }
  return { lane: 'orders', kind: 'attempt', ...times, marks } as unknown as Bar
}

function drawn(bars: readonly Bar[], marks: readonly object[] = []): Drawn {
  return { from: undefined, to: undefined, lanes: ['orders'], bars, marks } as unknown as Drawn
}

const HOURS = 3 * 3_600_000

describe('the scale of a waterfall', () => {
  it('is real time: twice as long is twice as wide', () => {
    const { at, breaks } = scaleOf(drawn([bar(0, 100), bar(100, 300), bar(300, 400)]))
    expect([0, 100, 300, 400].map((time) => at(iso(time)))).toEqual([0, 25, 75, 100])
    expect(breaks).toEqual([])
  })

  it('leaves a long quiet time out, and says how long it was', () => {
    const { at, breaks } = scaleOf(drawn([bar(0, 1_000), bar(HOURS, HOURS + 1_000)]))
    expect([1_000, HOURS].map((time) => at(iso(time)))).toEqual([46, 54])
    expect(breaks).toEqual([{ at: 50, length: HOURS - 1_000 }])
  })

  it('draws a quiet time to scale that does not hide the rest', () => {
    expect(scaleOf(drawn([bar(500, 9_000_000)])).breaks).toEqual([])
    expect(scaleOf(drawn([bar(0, 60_000), bar(180_000, 190_000)])).breaks).toEqual([])
  })

  it('has room for what is drawn, however many quiet times there are', () => {
    const many = Array.from({ length: 30 }, (_, at) => bar(at * HOURS, at * HOURS + 10))
    const { at, breaks } = scaleOf(drawn(many))
    expect(breaks).toHaveLength(29)
    expect(at(iso(10))).toBeCloseTo(50 / 30)
  })

  it('keeps the order of times, and never leaves the plot', () => {
    const times = fc.array(fc.tuple(fc.nat(10 * HOURS), fc.nat(HOURS)), { maxLength: 40 })
    fc.assert(
      fc.property(times, fc.array(fc.nat(12 * HOURS)), (given, asked) => {
        const { at } = scaleOf(drawn(given.map(([from, long]) => bar(from, from + long))))
        const places = asked.toSorted((one, other) => one - other).map((time) => at(iso(time)))
        expect(places).toEqual(places.toSorted((one, other) => one - other))
        for (const place of places) expect(place >= 0 && place <= 100).toBe(true)
      }),
    )
  })
})

describe('the ticks of a waterfall', () => {
  const ticksOf = (...bars: readonly Bar[]) => scaleOf(drawn(bars)).ticks

  it('are round times, and where it begins', () => {
    expect(ticksOf(bar(300, 1_000), bar(1_000, 4_300))).toEqual([
      { at: 0, label: '00:00:00' },
      { at: 42.5, label: '00:00:02' },
      { at: 67.5, label: '00:00:03' },
      { at: 92.5, label: '00:00:04' },
    ])
    expect(ticksOf(bar(0, 100)).map(({ label }) => label)).toEqual([
      '00:00:00',
      ':00.020',
      ':00.040',
      ':00.060',
      ':00.080',
      ':00.100',
    ])
    const day = 24 * 3_600_000
    expect(
      ticksOf(bar(0, 10 * day))
        .map(({ label }) => label)
        .slice(1),
    ).toEqual(['01-03', '01-05', '01-07', '01-09', '01-11'])
  })

  it('say when it goes on behind a quiet time', () => {
    const ticks = ticksOf(bar(0, 1_000), bar(HOURS, HOURS + 1_000))
    expect(ticks).toContainEqual({ at: 54, label: '03:00:00' })
  })

  it('stand in order, apart from each other, and where their time is', () => {
    const times = fc.array(fc.tuple(fc.nat(10 * HOURS), fc.nat(HOURS)), { maxLength: 20 })
    fc.assert(
      fc.property(times, (given) => {
        const { ticks } = scaleOf(drawn(given.map(([from, long]) => bar(from, from + long))))
        const places = ticks.map(({ at }) => at)
        const apart = places.slice(1).map((place, nth) => place - (places[nth] ?? 0))
        expect(Math.min(20, ...apart)).toBe(20)
        expect(Math.min(0, ...places)).toBe(0)
        expect(Math.max(100, ...places)).toBe(100)
      }),
    )
  })
})

it('the legend has what occurs, once', () => {
  const marks = [
    { kind: 'effect' },
    { kind: 'effect' },
    { kind: 'call', state: 'unknown' },
    { kind: 'started' },
  ]
  expect(legendOf(drawn([bar(0, 1, marks)], [{ kind: 'died' }]))).toEqual([
    ['◆', 'effect'],
    ['?', 'call, outcome unknown'],
    ['·', 'other event'],
    ['✖', 'dead letter'],
  ])
})
