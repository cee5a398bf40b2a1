import type { Step } from './step.ts'

interface Found {
  readonly why: string
  /** Its place among the policies. */
  readonly policy: 0 | 1 | 2
  readonly steps: readonly Step[]
}

/** Histories that once went wrong. */
export const found: readonly Found[] = []
