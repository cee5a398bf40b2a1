import { defineFlow } from 'lineclear'
import { z } from 'zod'
import type { DaysCloud } from './days.ts'

export const Asked = z.object({ key: z.string() })
const Offer = z.object({ offer: z.string(), price: z.number() })

/** A request asks two systems, and goes on with both answers. */
export function asking(
  days: DaysCloud,
  times: { readonly retention?: '3d'; readonly giveUpAfter?: '20d' } = {},
) {
  const broken = { is: true }
  const got: unknown[] = []
  const flow = defineFlow({
    ...days.options,
    ...times,
    name: 'ask',
    key: (payload) => payload.key,
    retry: { delay: () => 0, maxAttempts: 1 },
    stages: { ask: { schema: Asked, queueUrl: days.url('work') } },
    awaitingSteps: {
      offers: { schema: Offer, id: ({ offer }) => offer, queueUrl: days.url('answers') },
    },
  })
  const ask = flow.stageHandler('ask', (_asked, ctx) =>
    ctx.awaitStep('offers', ['a', 'b'], () => {}),
  )
  const offers = flow.answerHandler('offers', (_offer, { answers }) => {
    if (broken.is) throw new Error('down')
    got.push(Object.fromEntries([...answers].map(([id, { price }]) => [id, price])))
  })
  const answer = async (offer: string, price: number): Promise<void> => {
    days.cloud.send('answers', { offer, price })
    await days.cloud.deliver('answers', offers)
  }
  const redriven = async (): Promise<void> => {
    await days.redrive('answers')
    await days.cloud.deliver('answers', offers)
  }
  return { flow, ask, answer, redriven, broken, got }
}
