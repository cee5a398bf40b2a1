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
