import type { Claim } from '../deliver/claimStrategy.ts'
import { stampOf } from '../deliver/incomingRecord.ts'
import { buildResend } from '../record/envelope/buildResend.ts'
import { QueueRefusedError } from '../base/errors.ts'
import { stableId } from '../base/ids.ts'
import type { Death } from '../claim/hold.ts'
import { type AnswerDelivery, refuse, runOf } from './answerDelivery.ts'
import { flowGroup } from '../send/messageGroup.ts'
import type { WaitingRun } from '../claim/awaiting/waitingRuns.ts'

/** Sends one message to each run that waits for the same id. Each run then continues, fails and is retried on its own. */
export async function sendToEachRun(
  delivered: AnswerDelivery,
  found: readonly WaitingRun[],
): Promise<Claim> {
  const { flow, work, invocation } = delivered
  const { message, record } = work
  const { hops } = message.envelope.carried
  // The copies of a compressed answer are not compressed.
  const each = Math.max(Buffer.byteLength(record.body), Buffer.byteLength(message.envelope.body))
  const bytes = each * found.length
  if (found.length > MOST_RUNS || bytes > MOST_BYTES) return refuse(tooMany(found.length, bytes))
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
    return (
      copy && {
        ...copy,
        ...flowGroup(queue, waiting.tenant ?? message.envelope.tenant, {
          key: waiting.key,
          uniqueRequestId: stamp.uniqueRequestId,
        }),
      }
    )
  })
  const sendable = copies.filter((copy) => copy !== undefined)
  if (sendable.length < copies.length) {
    return {
      kind: 'failed',
      error: new Error('the answer is too large to carry the run it is for'),
    }
  }
  const outcomes = await invocation.consumer.messenger.send(invocation.queue, sendable)
  const refusal = outcomes.find((outcome) => outcome !== undefined)
  if (refusal !== undefined) {
    const error = `${invocation.queue} did not take the answer for each run (${refusal.message}); it comes back`
    return { kind: 'failed', error: new QueueRefusedError(error, { cause: refusal }) }
  }
  return { kind: 'accepted', as: `an answer for ${found.length} runs` }
}

/** The most runs for one answer. Each run gets a message of its own, and all are sent in one invocation. */
const MOST_RUNS = 1_000
const MOST_BYTES = 16 * 1_048_576

function tooMany(runs: number, bytes: number): Death {
  return {
    reason: 'fan-out',
    error:
      `${runs} runs wait for this id, and the answer would be sent ${runs} times, ${bytes} bytes in all: at most ${MOST_RUNS} ` +
      `times and ${MOST_BYTES} bytes. It was given to none of them. Wait for an id of each run's own, or answer with a reference`,
  }
}
