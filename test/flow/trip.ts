import { defineFlow, type FlowOptions } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { z } from 'zod'
import type { Answers, StagesOptions } from '../../src/library/entries/flow/options.ts'
import type { FlowHarness } from './flowHarness.ts'

export const Booking = z.object({ key: z.string(), n: z.number().optional() })
export const Payment = z.object({ key: z.string(), price: z.number() })
export const Shipping = z.object({ key: z.string() })
export const Quote = z.object({ quoteId: z.string(), price: z.number() })

type Options = Partial<
  Pick<
    FlowOptions<StagesOptions, Answers>,
    'process' | 'onConflict' | 'giveUpAfter' | 'retention' | 'retry' | 'id' | 'sentAt' | 'failures'
  >
>

/** Three stages, and one answer from outside. */
export function tripOn(cloud: LocalCloud, harness: FlowHarness, options: Options = {}) {
  return defineFlow({
    name: 'trip',
    key: (payload) => payload.key,
    stages: {
      book: { schema: Booking, queueUrl: cloud.queueUrl('book') },
      pay: { schema: Payment, queueUrl: cloud.queueUrl('pay') },
      ship: { schema: Shipping, queueUrl: cloud.queueUrl('ship'), final: true },
    },
    awaitingSteps: {
      quote: {
        schema: Quote,
        id: ({ quoteId }) => quoteId,
        queueUrl: cloud.queueUrl('quotes'),
        grace: '3h',
      },
    },
    ...harness.options,
    ...options,
    retry: { delay: () => 0, ...options.retry },
  })
}

/** Adds 1 under `id`, once. */
export const counting = (id: string) =>
  ({ TableName: 'counts', Key: { id }, add: { n: 1 } }) as const
