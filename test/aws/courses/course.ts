import { isDeepStrictEqual } from 'node:util'
import type { Stage } from '../stage.ts'

/** A line of the books. */
export interface Entry {
  readonly what: string
  readonly wanted: unknown
  readonly had: unknown
}

/** A deployed example: what it is sent, by which route, and the expected result. */
export interface Course {
  readonly name: string
  /** The functions of serverless.yml that take part. */
  readonly functions: readonly string[]
  /** Sends everything, and waits until each request has had its effect once. */
  drive(): Promise<void>
  /** When nothing is under way any more. */
  books(): Promise<readonly Entry[]>
}

export type OpenCourse = (stage: Stage) => Course

export const COUNT = 12
export const numbers: readonly number[] = Array.from({ length: COUNT }, (_, nth) => nth + 1)

export function now(): string {
  return new Date().toISOString()
}

export function isRight({ wanted, had }: Entry): boolean {
  return isDeepStrictEqual(wanted, had)
}
