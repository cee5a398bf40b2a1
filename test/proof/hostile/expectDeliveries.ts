import type { Settlement } from 'lineclear'
import { expect } from 'vitest'
import { inCalm, isCalm, mode } from './mode.ts'

/** A kind, or more of a settlement. */
type Expected =
  | Settlement['kind']
  | { readonly kind: Settlement['kind']; readonly [field: string]: unknown }

/**
 * How the deliveries ended, one by one. In a hostile mode these ends, in this order; between them are those of copies, and of
 * redelivered messages.
 */
export function expectDeliveries(
  settled: readonly Settlement[],
  expected: readonly Expected[],
): void {
  const ends = expected.map((each) => (typeof each === 'string' ? { kind: each } : each))
  inCalm('deliveries', () => expect(settled).toMatchObject(ends))
  // What a killed one had done is not reported; one that got no answer cannot know whether it ended the run itself.
  if (isCalm || mode.killsAtEachCall || mode.losesAnswers) return
  let from = 0
  for (const end of ends) {
    const at = settled.findIndex((each, index) => index >= from && matches(each, end))
    expect(at, `${JSON.stringify(end)} in ${JSON.stringify(settled)}`).toBeGreaterThanOrEqual(0)
    from = at + 1
  }
}

/** The end of the last delivery; in a hostile mode copies came with it. */
export function expectLastDelivery(settled: readonly Settlement[], expected: Expected): void {
  expectDeliveries(isCalm ? settled.slice(-1) : settled, [expected])
}

function matches(settlement: Settlement, end: object): boolean {
  try {
    expect(settlement).toMatchObject(end)
    return true
  } catch {
    return false
  }
}
