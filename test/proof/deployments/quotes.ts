import { type AwaitOptions, defineFlow, TerminalError } from 'lineclear'
import { z } from 'zod'
import type { RecordContext } from '../../../src/context/context.ts'
import { buildMessage } from '../../../src/record/envelope/buildMessage.ts'
import { memoryQueueUrl } from '../../../src/testing/queues/description.ts'
import { audit, BOOKED, entryOf, stuck } from './ledger.ts'
import { type Script, scenariosWith } from './play.ts'
import type { Change, Row } from './quoteRows.ts'
import type { Ending } from './sales.ts'
import type { Code, Rig } from './rig.ts'

const Asked = z.object({ tx: z.string(), key: z.string() })
const Quote = z.object({ quoteId: z.string() })
const BadQuote = Quote.refine(() => false)
const TX = 't1'
const IDS = [`${TX}-1`, `${TX}-2`]

/** One stage asks two others outside, and the step that their answers lead to ends the flow. */
function codeOf(rig: Rig, { step = {}, ask = {} }: Change, process: 'newest' | 'every'): Code {
  const name = step.name ?? 'quote'
  const awaitingSteps: Record<string, AwaitOptions<typeof Quote>> = {
    [name]: {
      schema: step.refuses === true ? BadQuote : Quote,
      id: ({ quoteId }) => quoteId,
      queueUrl: memoryQueueUrl('quotes'),
      formerNames: step.formerNames ?? [],
      ...(step.timeout === undefined ? {} : { timeout: step.timeout }),
    },
  }
  const flow = defineFlow({
    name: 'trip',
    process,
    stages: { ask: { schema: Asked, queueUrl: memoryQueueUrl('ask') } },
    awaitingSteps,
    key: ({ key }) => key,
    ...rig.options,
  })
  const failed = new Set<string>()
  const work = async (ctx: RecordContext, role: string, ends: Ending = 'well'): Promise<void> => {
    const id = `${TX}/${role}`
    await ctx.applyOnce('entry', entryOf(id))
    await ctx.once('charge', ({ idempotencyKey }) => rig.charge(id, idempotencyKey))
    await ctx.sendTo(memoryQueueUrl(BOOKED), { tx: id })
    if (ends === 'once' && !failed.has(role)) {
      failed.add(role)
      throw new Error('not now')
    }
    if (ends === 'dies') throw new TerminalError('never')
  }
  const asked = flow.stageHandler('ask', async (_request, ctx) => {
    await ctx.awaitStep(name, IDS, () => {}, { need: ask.need ?? 'all' })
    await work(ctx, 'ask', ask.ends)
  })
  const answered = flow.answerHandler(name, (_quote, ctx) => work(ctx, 'quote', step.ends), {
    onTimeout: (ctx) => work(ctx, 'quote', step.ends),
  })
  return { handlers: { ask: asked, quotes: answered } }
}

export function scriptOf(row: Row, process: 'newest' | 'every'): Script {
  return {
    scenarios: scenariosWith('plain', 'twice'),
    deploy: (rig) => {
      const { old, deliveries, bad, now } = row
      const first = { code: codeOf(rig, old, process), ...(deliveries && { deliveries }) }
      const middle = bad === undefined ? [] : [{ code: codeOf(rig, bad, process) }]
      return { codes: [first, ...middle, { code: codeOf(rig, now, process) }] }
    },
    request: (rig) => {
      const stamp = { uniqueRequestId: TX, sentAt: rig.born, retry: 0, hops: 0 }
      rig.send('ask', buildMessage(JSON.stringify({ tx: TX, key: 'k' }), {}, stamp))
      for (const [nth, quoteId] of IDS.slice(0, row.answers).entries()) {
        const body = JSON.stringify({ quoteId })
        rig.send('quotes', { body, attributes: {}, delaySeconds: nth })
      }
    },
    judge: (rig) => {
      const mayRefuse = row.refused === true
      const auditOf = (role: string): readonly string[] =>
        audit(rig, `${TX}/${role}`, { most: 1, least: 1, mayRefuse })
      return [...auditOf('ask'), ...auditOf('quote'), ...stuck(rig, row.holds === true)]
    },
  }
}
