import { ConfigError, RejectedError, toError } from '../../base/errors.ts'
import { madeOf } from '../../base/handler.ts'
import { kindOf } from '../../base/kindOf.ts'
import type { EndReport } from '../../protocol/claim/stage/endReport.ts'
import { FAILURE_PART } from '../../protocol/claim/stage/endReport.ts'
import type { RecordContext } from '../../run/context/context.ts'
import type { ClaimStrategy } from '../../run/deliver/claimStrategy.ts'
import { handleBatch } from '../../run/deliver/handleBatch.ts'
import { loadUncommon } from '../../run/deliver/lazy.ts'
import type { RecordParts, SqsHandler } from '../consumer/recordHandler.ts'
import { type FlowEnd, openEnd } from './flowEnd.ts'
import type { FlowDefinition } from './flowDefinition.ts'

type Handle = (end: FlowEnd, ctx: RecordContext) => unknown

/** The ends of runs are messages like others: each has a token of its own, its attempts, its dead letter. */
export function handleEnd(flow: FlowDefinition, handle: Handle): SqsHandler {
  const here = `defineFlow('${flow.name}').failureHandler`
  if (flow.failures === undefined) {
    throw new ConfigError(
      `${here}: expected the option failures: { queueUrl } of the flow; got nothing. Without it no run says where its end is to be told.`,
    )
  }
  if (typeof handle !== 'function') {
    throw new ConfigError(`${here}: expected a function (end, ctx); got ${kindOf(handle)}`)
  }
  const known = flow.consumerOf(FAILURE_PART)
  const consumer = { ...known, names: new Set([known.name]) }
  const strategy: ClaimStrategy = {
    serializationKey: ({ message }) => message.uniqueRequestId,
    claim: async (works, invocation, ahead) => {
      const uncommon = await loadUncommon().catch(toError)
      if (uncommon instanceof Error) return works.map(() => ({ kind: 'failed', error: uncommon }))
      const run = async (payload: unknown, ctx: RecordContext): Promise<unknown> =>
        handle(await openEnd(ofFlow(flow, payload as EndReport), consumer, uncommon), ctx)
      return uncommon.tokenStrategy(run).claim(works, invocation, ahead)
    },
  }
  const handler: SqsHandler = (event, context) => handleBatch(event, context, consumer, strategy)
  return madeOf(handler, { consumer } satisfies RecordParts)
}

/** @throws RejectedError for the end of a run of another flow */
function ofFlow({ name }: FlowDefinition, report: EndReport): EndReport {
  // @protects the end of a run of another flow is not taken for one of this flow
  // @without false @tests test/flow/failureHandler
  const isOther = report.flow !== name
  if (isOther) throw new RejectedError(`it is the end of a run of the flow '${report.flow}'`)
  return report
}
