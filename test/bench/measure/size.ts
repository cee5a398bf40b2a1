import { join, resolve } from 'node:path'
import type { Part } from '../measured.ts'
import { type BundleSizes, bundleSizes } from './bundleSize.ts'

const BENCH = resolve(import.meta.dirname, '..')
const STORE = "export { dynamoDbStore } from 'lineclear/dynamodb'"

/** What each front door brings into a function, with the store of the table. */
const CODE = {
  recordHandler: `export { recordHandler } from 'lineclear'; ${STORE}`,
  defineFlow: `export { defineFlow } from 'lineclear'; ${STORE}`,
  idempotent: `export { idempotent } from 'lineclear'; ${STORE}`,
  powertools: "export * from './powertools.ts'",
} as const

export type Door = keyof typeof CODE

export const size: Part = {
  name: 'size',
  title: 'bundles',
  async measure() {
    const doors = await Promise.all(
      Object.keys(CODE).map(async (door) => [door, await sizesOf(door as Door)] as const),
    )
    const table = {
      title: 'Bundles without the SDK, minified, KB; first: the files before the first record',
      head: ['what is imported', 'one file', 'gzipped', 'first', 'gzipped'],
      rows: doors.map(([door, { single, hot }]) => [
        door,
        ...[single, hot].flatMap(({ minified, gzipped }) => [inKb(minified), inKb(gzipped)]),
      ]),
    }
    const figures = doors.flatMap(([door, { single, hot }]) => [
      [`${door} in one file, minified KB`, inKb(single.minified)],
      [`${door} in one file, gzipped KB`, inKb(single.gzipped)],
      [`${door} before the first record, minified KB`, inKb(hot.minified)],
      [`${door} before the first record, gzipped KB`, inKb(hot.gzipped)],
    ])
    return { tables: [table], figures: Object.fromEntries(figures) as Record<string, number> }
  },
}

export function sizesOf(door: Door, conditions?: readonly string[]): Promise<BundleSizes> {
  return bundleSizes(CODE[door], join(BENCH, 'peers'), conditions)
}

function inKb(bytes: number): number {
  return bytes / 1_024
}
