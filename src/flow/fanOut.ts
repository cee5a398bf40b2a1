import type { Claim } from '../batch/protocol.ts'
import { stampOf } from '../batch/work.ts'
import { buildResend } from '../envelope/outgoing.ts'
import { StoreUnavailableError } from '../errors.ts'
import { stableId } from '../ids.ts'
import { type Delivered, runOf } from './delivered.ts'
import { orderOf } from './orderOf.ts'
import type { Waiting } from './waiting.ts'

/** One message for each run that waits for the same id: each goes on, fails and is retried by itself. */
export async function fanOut(delivered: Delivered, found: readonly Waiting[]): Promise<Claim> {
  const { flow, work, invocation } = delivered
  const { message, record } = work
  const { hops } = message.envelope.carried
  const copies = found.map((waiting) => {
    const stamp = {
      ...stampOf(work),
      uniqueRequestId: stableId(message.uniqueRequestId, waiting.stepId),
      retry: 0,
      hops: hops + 1,
      flow: runOf(flow, waiting),
    }
    const copy = buildResend(record, message.envelope, stamp, {
      form: invocation.consumer.resendForm,
    })
    const { queue } = invocation
    return copy && { ...copy, ...orderOf(queue, waiting.key, stamp.uniqueRequestId) }
  })
  const sendable = copies.filter((copy) => copy !== undefined)
  if (sendable.length < copies.length) {
    return { kind: 'failed', error: new Error('the answer is too large to carry whom it is for') }
  }
  const outcomes = await invocation.consumer.messenger.send(invocation.queue, sendable)
  const refusal = outcomes.find((outcome) => outcome !== undefined)
  if (refusal !== undefined) {
    return { kind: 'failed', error: new StoreUnavailableError(refusal.message, { cause: refusal }) }
  }
  return { kind: 'passedOn', as: `an answer for ${found.length} runs` }
}
