/** So many claims in a row have to be as expected before the next one is tried without a look. */
const SURE = 10

/**
 * Whether the claims of a stage were as expected lately, in this sandbox. A claim that is tried without a read and refused costs a
 * write unit, five times the price of the read that it would have saved. If four of five are as expected both ways cost the same; if
 * fewer are, ten in a row are so rare that hardly a claim is tried.
 */
export interface ClaimStreak {
  /** Whether to write the claim without reading first. Each call uses up one try. */
  mayTry(): boolean
  note(wasExpected: boolean): void
}

/**
 * @param presumed the first claims are tried, too. Not for keys, which may all have been used before: a sandbox that handles few
 * messages would pay for each of them. Until the first of them is answered at most ten are: in a flow that sends to several
 * stages the claims without a read always fail, and its first batch may be a hundred.
 */
export function claimStreak(presumed: boolean): ClaimStreak {
  let inARow = presumed ? SURE : 0
  let triesLeft = presumed ? SURE : Infinity
  return {
    mayTry: () => inARow >= SURE && triesLeft-- > 0,
    note(wasExpected) {
      inARow = wasExpected ? inARow + 1 : 0
      triesLeft = Infinity
    },
  }
}
