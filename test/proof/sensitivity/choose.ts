import { stableId } from '../../../src/library/base/ids.ts'
import type { Protection } from './protection.ts'

interface Choice {
  readonly only: string
  /** How many. undefined: all. */
  readonly sample?: string | undefined
  readonly seed: string
}

/** The protections whose file or words contain `only`; a sample is the same for the same seed. */
export function choose(
  all: readonly Protection[],
  { only, sample, seed }: Choice,
): readonly Protection[] {
  const named = all.filter((each) => `${each.file}: ${each.protects}`.includes(only))
  if (sample === undefined) return named
  const place = (each: Protection): string => stableId(seed, each.file, each.protects)
  return named
    .toSorted((one, other) => (place(one) < place(other) ? -1 : 1))
    .slice(0, Number(sample))
}
