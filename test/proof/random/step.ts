import fc from 'fast-check'
import type { Crash } from './mortal.ts'

/** One thing that happens. Plain data, so that a history that failed can be kept as it was printed. */
export type Step =
  | {
      readonly do: 'send'
      readonly to: 'orders' | 'validate'
      readonly id: number
      readonly copies: number
      readonly fails: number
    }
  | {
      readonly do: 'deliver'
      readonly nth: number
      readonly twice: boolean
      readonly crash?: Crash | undefined
    }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'sendBack' }
  | { readonly do: 'sweep' }

const send = fc.record({
  do: fc.constant('send' as const),
  to: fc.constantFrom('orders' as const, 'validate' as const),
  id: fc.nat(2),
  copies: fc.integer({ min: 1, max: 2 }),
  // The third failure is a death: see the attempts of the consumer.
  fails: fc.constantFrom(0, 0, 1, 3),
})

const deliver = fc.record(
  {
    do: fc.constant('deliver' as const),
    nth: fc.nat(3),
    twice: fc.boolean(),
    crash: fc.record({ at: fc.integer({ min: 1, max: 9 }), applied: fc.boolean() }),
  },
  { requiredKeys: ['do', 'nth', 'twice'] },
)

const wait = fc.record({
  do: fc.constant('wait' as const),
  // Less than a retry, more than one, and more than any lease.
  seconds: fc.constantFrom(1, 20, 1_000),
})

const sendBack = fc.constant({ do: 'sendBack' } as const)
const sweep = fc.constant({ do: 'sweep' } as const)

export const steps: fc.Arbitrary<readonly Step[]> = fc.array<Step>(
  fc.oneof(
    { arbitrary: send, weight: 3 },
    { arbitrary: deliver, weight: 7 },
    { arbitrary: wait, weight: 3 },
    { arbitrary: sendBack, weight: 1 },
    { arbitrary: sweep, weight: 1 },
  ),
  { minLength: 4, maxLength: 24, size: 'max' },
)
