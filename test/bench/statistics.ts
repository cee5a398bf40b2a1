export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const pair = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return pair.reduce<number>((total, value) => total + (value ?? Number.NaN), 0) / 2
}

/** The value that this share of them does not exceed, whole. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
}

/**
 * The median of the ratios of each round: whatever slowed the machine then slowed both sides, while medians of far
 * apart moments say more about the neighbours than about the peers.
 */
export function medianRatio(values: readonly number[], bases: readonly number[]): number {
  return median(values.map((value, round) => value / (bases[round] ?? Number.NaN)))
}

/** Runs A B C, A B C, … and hands back what each gave, round by round. */
export async function alternate(
  rounds: number,
  runs: readonly (readonly [string, () => Promise<number>])[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const samples = new Map<string, number[]>(runs.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of runs) samples.get(name)?.push(await run())
  }
  return samples
}
