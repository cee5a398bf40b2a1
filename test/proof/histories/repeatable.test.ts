import { expect, it } from 'vitest'
import { linesOf } from './book.ts'
import { play } from './play.ts'

const SEEDS = [3, 4, 5]

async function written(): Promise<string[]> {
  const all: string[] = []
  for (const seed of SEEDS) all.push(linesOf(await play(seed)))
  return all
}

it('a seed gives the same bytes, whatever was played before', async () => {
  const first = await written()
  expect(await written()).toEqual(first)
  expect(new Set(first).size).toBe(SEEDS.length)
})
