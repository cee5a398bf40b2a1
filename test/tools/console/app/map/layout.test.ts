import { describe, expect, it } from 'vitest'
import { layOut, type Placed } from '../../../../../src/tools/console/app/map/layout.ts'
import type { Box, Link } from '../../../../../src/tools/console/app/map/spot.ts'

const SIZE = { width: 100, height: 40 }

function placed(text: string): Placed & { readonly links: readonly Link[] } {
  const links = text.split(' ').flatMap((way) => {
    const ids = way.split('>')
    return ids.slice(1).map((to, at) => ({ from: ids[at] ?? '', to }))
  })
  const ids = new Set(text.split(/[ >]/))
  return { ...layOut(boxes([...ids]), links), links }
}

function boxes(ids: readonly string[]): readonly Box[] {
  return ids.map((id) => ({ id, ...SIZE }))
}

function at({ boxes }: Placed, id: string): { readonly x: number; readonly y: number } {
  return boxes.get(id) ?? { x: Number.NaN, y: Number.NaN }
}

describe('the layout', () => {
  it('places a way from left to right, on one line', () => {
    const map = placed('topic>queue>consumer>paid')
    const xs = ['topic', 'queue', 'consumer', 'paid'].map((id) => at(map, id).x)
    expect(xs).toEqual(xs.toSorted((one, other) => one - other))
    expect(new Set(xs).size).toBe(4)
    expect(new Set([...map.boxes.values()].map(({ y }) => y)).size).toBe(1)
  })

  it('lets no boxes overlap, whatever is linked', () => {
    const map = placed('a>b>c>d a>c a>d b>d e>b e>f>g>b h>d x>y>x z')
    const all = [...map.boxes.values()]
    const overlaps = all.flatMap((one, index) =>
      all
        .slice(index + 1)
        .filter(
          (other) =>
            Math.abs(one.x - other.x) < SIZE.width && Math.abs(one.y - other.y) < SIZE.height,
        )
        .map((other) => [one, other]),
    )
    expect(overlaps).toEqual([])
  })

  it('stays within its size', () => {
    const map = placed('a>b>c>d a>d e>b>f g>h z')
    for (const { x, y } of map.boxes.values()) {
      expect(x).toBeGreaterThanOrEqual(0)
      expect(y).toBeGreaterThanOrEqual(0)
      expect(x + SIZE.width).toBeLessThanOrEqual(map.width)
      expect(y + SIZE.height).toBeLessThanOrEqual(map.height)
    }
  })

  it('untangles what would cross', () => {
    // In the order of their names the two links cross.
    const map = placed('a>d b>c')
    expect(at(map, 'a').y < at(map, 'b').y).toBe(at(map, 'd').y < at(map, 'c').y)
    const other = placed('s>a s>b a>z1 b>y1')
    expect(at(other, 'a').y < at(other, 'b').y).toBe(at(other, 'z1').y < at(other, 'y1').y)
  })

  it('ends with circles, and draws the link back below its boxes', () => {
    const map = placed('queue>consumer>queue')
    expect(at(map, 'queue').x).toBeLessThan(at(map, 'consumer').x)
    const [there = '', back = ''] = map.arrows.map((arrow) => arrow?.line)
    const ys = [...back.matchAll(/ (\d+)/g)].map(([, y]) => Number(y))
    expect(Math.max(...ys)).toBeGreaterThan(SIZE.height)
    expect(there.startsWith(`M${SIZE.width} ${SIZE.height / 2}C`)).toBe(true)
  })

  it('leads a long link around the boxes between', () => {
    const map = placed('a>b>c a>c')
    const long =
      map.arrows[map.links.findIndex(({ from, to }) => from === 'a' && to === 'c')]?.line ?? ''
    const height = Number(/ (\d+(?:\.\d+)?)H/.exec(long)?.[1])
    expect(Math.abs(height - (at(map, 'b').y + SIZE.height / 2))).toBeGreaterThan(SIZE.height / 2)
  })

  it('puts what only begins a way beside what it leads to', () => {
    const map = placed('a>b>c>d late>d')
    expect(at(map, 'late').x).toBe(at(map, 'c').x)
  })

  it('leaves out links to what is not there', () => {
    const links = [
      { from: 'a', to: 'gone' },
      { from: 'a', to: 'a' },
    ]
    expect(layOut(boxes(['a']), links).arrows).toEqual([undefined, undefined])
  })

  it('is empty for nothing', () => {
    expect(layOut([], [])).toMatchObject({ width: 0, arrows: [] })
  })
})
