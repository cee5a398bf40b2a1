import { describe, expect, it } from 'vitest'
import {
  type Box,
  layOut,
  type Link,
  type Placed,
} from '../../../../../src/tools/console/app/map/layout.ts'

const SIZE = { width: 100, height: 40 }
const WIDE = 1_000

function placed(text: string, room = WIDE): Placed & { readonly links: readonly Link[] } {
  const links = text.split(' ').flatMap((way) => {
    const ids = way.split('>')
    return ids.slice(1).map((to, at) => ({ from: ids[at] ?? '', to }))
  })
  const ids = new Set(text.split(/[ >]/))
  return { ...layOut(boxes([...ids]), links, room), links }
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

  it('ends with circles, and draws the link back', () => {
    const map = placed('queue>consumer>queue')
    expect(at(map, 'queue').x).not.toBe(at(map, 'consumer').x)
    expect(map.arrows.map(({ line }) => line)).toEqual([
      expect.stringMatching(/^M/),
      expect.stringMatching(/^M/),
    ])
  })

  it('begins and ends an arrow at the sides of its boxes', () => {
    const map = placed('a>b')
    const { x, y } = at(map, 'a')
    expect(map.arrows[0]?.line).toMatch(
      new RegExp(`^M${x + SIZE.width} ${y + SIZE.height / 2}C.* ${at(map, 'b').x} `),
    )
  })

  it('fills the width that there is, and goes down where there is none', () => {
    const [narrow, wide] = [360, 900].map((room) => placed('a>b>c', room))
    expect(wide?.width).toBeGreaterThan(550)
    expect(wide?.width).toBeLessThanOrEqual(900)
    expect(new Set([...(narrow?.boxes.values() ?? [])].map(({ x }) => x)).size).toBe(1)
    expect(narrow?.width).toBeLessThanOrEqual(360)
  })

  it('stands what is not linked below one another', () => {
    const map = placed('a>b c>d')
    expect(at(map, 'a').x).toBe(at(map, 'c').x)
    expect(at(map, 'b').x).toBe(at(map, 'd').x)
  })

  it('leaves out links to what is not there', () => {
    const links = [
      { from: 'a', to: 'gone' },
      { from: 'a', to: 'a' },
    ]
    expect(layOut(boxes(['a']), links, WIDE).arrows).toEqual([])
  })

  it('is empty for nothing', () => {
    expect(layOut([], [], WIDE)).toMatchObject({ width: 0, height: 0, arrows: [] })
  })
})
