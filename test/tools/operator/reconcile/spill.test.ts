import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import {
  BUCKETS,
  openSpill,
  type Spill,
} from '../../../../src/tools/operator/reconcile/readRequests.ts'

async function valuesOf(spill: Spill): Promise<readonly unknown[]> {
  const values: unknown[] = []
  for (let number = 0; number < BUCKETS; number++) {
    for await (const value of spill.bucket(number)) values.push(value)
  }
  return values
}

it.each([
  ['in memory', 1_000_000],
  ['on disk', 200],
])('%s: returns what several writers have added at once', async (_, mostHeld) => {
  await using spill = openSpill(mostHeld)
  const write = async (writer: number): Promise<void> => {
    for (let nth = 0; nth < 300; nth++) await spill.add(`${writer}/${nth}`, `é ${writer}\n${nth}`)
  }
  await Promise.all([1, 2, 3, 4].map(write))
  const values = await valuesOf(spill)
  expect(values).toHaveLength(1_200)
  expect(new Set(values).size).toBe(1_200)
  expect(values).toContain('é 4\n299')
})

it('values of one key come back from one bucket', async () => {
  await using spill = openSpill(100)
  for (let nth = 0; nth < 50; nth++) await spill.add(`k${nth % 5}`, nth % 5)
  const bucketsOf = new Map<unknown, Set<number>>()
  for (let number = 0; number < BUCKETS; number++) {
    for await (const key of spill.bucket(number)) {
      bucketsOf.set(key, (bucketsOf.get(key) ?? new Set()).add(number))
    }
  }
  expect([...bucketsOf.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1, 1])
})

it('leaves no file behind, even while it is open', async () => {
  const before = await readdir(tmpdir())
  await using spill = openSpill(1)
  await spill.add('a', 'a')
  await spill.add('b', 'b')
  const made = (await readdir(tmpdir())).filter((name) => !before.includes(name))
  expect(made.filter((name) => name.startsWith('lineclear-spill'))).toEqual([])
})
