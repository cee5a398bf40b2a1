import type { Faults } from '../../../src/testing/local/faults/faults.ts'

/** More than any handler of a test makes. */
const CALLS = 300

/** Every call of the first invocation is made and its answer lost; the retry of the SDK is answered. */
export const LOST_ANSWERS: NonNullable<Faults['at']> = Array.from(
  { length: CALLS },
  (_, index) => ({
    invocation: 1,
    call: index + 1,
    fault: 'loseAnswer',
  }),
)
