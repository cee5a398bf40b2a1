import { join, resolve } from 'node:path'
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
export const DOORS = Object.keys(CODE) as readonly Door[]

export function sizesOf(door: Door, conditions?: readonly string[]): Promise<BundleSizes> {
  return bundleSizes(CODE[door], join(BENCH, 'peers'), conditions)
}
