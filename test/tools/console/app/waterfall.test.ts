import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  barAfter,
  type Drawn,
  layOut,
  tickLabel,
  tickStep,
  wholeSpan,
} from '../../../../src/tools/console/app/request/waterfallLayout.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')
const iso = (milliseconds: number): string => new Date(START + milliseconds).toISOString()

type Bar = Drawn['bars'][number]

function bar(from: number, to: number, more: Partial<Bar> = {}): Bar {
  return {
    lane: 'orders',
    kind: 'attempt',
    from: iso(from),
    to: iso(to),
    open: false,
    label: `${from}`,
    marks: [],
    ...more,
  } as unknown as Bar
}

function drawn(bars: readonly Bar[], marks: Drawn['marks'] = []): Drawn {
  const lanes = [...new Set(bars.map(({ lane }) => lane))]
  const ends = bars.map(({ to }) => Date.parse(to) - START)
  const begins = bars.map(({ from }) => Date.parse(from) - START)
  const [from, to] = [iso(Math.min(...begins)), iso(Math.max(...ends))]
  return { from, to, lanes, bars, marks }
}

const span = (from: number, to: number) => ({ from: START + from, to: START + to })

describe('a waterfall', () => {
  it('stands on real time: twice as long is twice as wide', () => {
    const [lane] = layOut(drawn([bar(0, 100), bar(100, 300)]), span(0, 1_000), 500).lanes
    expect(lane?.bars.map(({ x, width, line }) => [x, width, line])).toEqual([
      [0, 50, 0],
      [50, 100, 0],
    ])
  })

  it('shows a bar that is too short for a pixel, and moves nothing for it', () => {
    const [lane] = layOut(drawn([bar(0, 0), bar(500, 501)]), span(0, 1_000), 500).lanes
    expect(lane?.bars.map(({ x, width }) => [x, width])).toEqual([
      [0, 3],
      [250, 3],
    ])
  })

  it('puts bars that overlap below one another', () => {
    const [lane] = layOut(
      drawn([bar(0, 300), bar(100, 200), bar(300, 400)]),
      span(0, 1_000),
      1_000,
    ).lanes
    expect(lane?.bars.map(({ line }) => line)).toEqual([0, 1, 0])
    expect(lane?.lines).toBe(2)
  })

  it('never lets bars of a line overlap, nor leave the plot', () => {
    const times = fc.array(fc.tuple(fc.nat(5_000), fc.nat(2_000)), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(
        times,
        fc.nat(4_000),
        fc.integer({ min: 10, max: 5_000 }),
        (given, from, length) => {
          const bars = given
            .map(([at, long]) => bar(at, at + long))
            .toSorted((one, other) => (one.from < other.from ? -1 : 1))
          const [lane] = layOut(drawn(bars), span(from, from + length), 800).lanes
          const ends: number[] = []
          for (const { x, width, line } of lane?.bars ?? []) {
            expect(x).toBeGreaterThanOrEqual(ends[line] ?? 0)
            expect(x + width).toBeLessThanOrEqual(803)
            ends[line] = x + width
          }
        },
      ),
    )
  })

  it('shows of a part of the time only what is in it', () => {
    const all = drawn([bar(0, 100), bar(400, 600), bar(900, 950)])
    const [lane] = layOut(all, span(500, 800), 300).lanes
    expect(lane?.bars.map(({ x, width, bar: { label } }) => [label, x, width])).toEqual([
      ['400', 0, 100],
    ])
  })

  it('places marks at their time, and none without', () => {
    const marks = [
      { at: iso(50), kind: 'effect', label: 'reserve' },
      { kind: 'call', label: 'charge' },
    ] as unknown as Bar['marks']
    const copies = [
      { lane: 'orders', at: iso(500), kind: 'dropped', label: 'copy' },
    ] as unknown as Drawn['marks']
    const [lane] = layOut(drawn([bar(0, 100, { marks })], copies), span(0, 1_000), 1_000).lanes
    expect(lane?.bars[0]?.marks.map(({ x }) => x)).toEqual([50])
    expect(lane?.marks.map(({ x }) => x)).toEqual([500])
  })

  it('leaves a long quiet time out of the axis, and says how long it was', () => {
    const HOURS = 3 * 3_600_000
    const quiet = drawn([bar(0, 1_000), bar(HOURS, HOURS + 1_000)])
    const { lanes, breaks, ticks } = layOut(quiet, span(0, HOURS + 1_000), 1_000)
    expect(lanes[0]?.bars.map(({ x, width }) => [x, width])).toEqual([
      [0, 468],
      [532, 468],
    ])
    expect(breaks).toEqual([{ x: 500, length: HOURS - 1_000 }])
    expect(ticks.filter(({ x }) => x > 468 && x < 532)).toEqual([])
  })

  it('draws a quiet time to scale that does not hide the rest', () => {
    const alone = layOut(drawn([bar(500, 9_000_000)]), span(0, 9_000_500), 500)
    expect(alone.breaks).toEqual([])
    const { breaks } = layOut(drawn([bar(0, 60_000), bar(180_000, 190_000)]), span(0, 190_000), 500)
    expect(breaks).toEqual([])
  })

  it('counts what it leaves out', () => {
    const many = Array.from({ length: 700 }, (_, at) => bar(at, at + 1))
    const { lanes, left } = layOut(drawn(many), span(0, 1_000), 1_000)
    expect([lanes[0]?.bars.length, left]).toEqual([600, 100])
  })
})

describe('its axis', () => {
  it.each([
    [0.3, 1, '00:00:00.001'],
    [3, 5, '00:00:00.005'],
    [700, 1_000, '00:00:01'],
    [40_000, 60_000, '00:01'],
    [90_000_000, 172_800_000, '01-03'],
  ])('has for %d ms a step of %d ms, shown as %s', (least, step, label) => {
    expect(tickStep(least)).toBe(step)
    expect(tickLabel(START + step, step)).toBe(label)
  })

  it('has ticks at whole steps, as far apart as their text needs', () => {
    const { ticks, step } = layOut(drawn([bar(0, 1)]), span(130, 7_777), 800)
    expect(ticks.every(({ at }) => at % step === 0)).toBe(true)
    expect((ticks[1]?.x ?? 0) - (ticks[0]?.x ?? 0)).toBeGreaterThanOrEqual(96)
  })
})

describe('the whole time', () => {
  it('is with nothing in it still a span', () => {
    const { from, to } = wholeSpan({
      from: undefined,
      to: undefined,
      lanes: [],
      bars: [],
      marks: [],
    })
    expect(to).toBeGreaterThan(from)
  })
})

describe('keys in the waterfall', () => {
  const shown = drawn([bar(0, 10), bar(20, 30), bar(5, 8, { lane: 'mails' })])
  const { lanes } = layOut(shown, span(0, 40), 400)
  const [first, second, other] = shown.bars

  it('show the next bar, lane by lane, and stay at the ends', () => {
    expect(barAfter('ArrowRight', lanes, undefined)).toBe(first)
    expect(barAfter('ArrowDown', lanes, first)).toBe(second)
    expect(barAfter('ArrowRight', lanes, second)).toBe(other)
    expect(barAfter('ArrowRight', lanes, other)).toBe(other)
    expect(barAfter('ArrowLeft', lanes, other)).toBe(second)
    expect(barAfter('ArrowUp', lanes, first)).toBe(first)
    expect([barAfter('Home', lanes, other), barAfter('End', lanes, first)]).toEqual([first, other])
  })

  it('go on from the bar that was shown, also with the next answer of the server', () => {
    expect(barAfter('ArrowRight', lanes, structuredClone(first))).toBe(second)
  })

  it('do nothing without bars, and leave others to the browser', () => {
    expect(barAfter('ArrowRight', [], undefined)).toBeUndefined()
    expect(barAfter('Tab', lanes, first)).toBeUndefined()
  })
})
