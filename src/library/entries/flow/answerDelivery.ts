import type { Invocation } from '../../run/deliver/invocation.ts'
import type { Claim } from '../../run/deliver/claimStrategy.ts'
import { type IncomingRecord, stampOf } from '../../run/deliver/readRecord.ts'
import type { Handle } from '../../run/deliver/tokenStrategy.ts'
import type { OpenContext } from '../../run/context/openContext.ts'
import type { RunReference } from '../../protocol/record/envelope/envelope.ts'
import type { Death } from '../../protocol/claim/hold.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import type { StageHold } from '../../protocol/claim/stage/stageHold.ts'
import type { ItemStore } from '../../protocol/claim/itemStore.ts'
import type { WaitingRun } from '../../protocol/claim/awaiting/waitingRuns.ts'
import { sendFitting } from '../../run/deliver/sendFitting.ts'
import type { QueueMessage } from '../../protocol/send/messenger.ts'
import { buildResend } from '../../protocol/record/envelope/buildResend.ts'
import { SendFailedError } from '../../base/errors.ts'
import { stableId } from '../../base/ids.ts'
import { flowGroup } from '../../protocol/send/messageGroup.ts'
import { decideEarly } from '../../protocol/claim/awaiting/decideAnswer.ts'
import { toMilliseconds } from '../../base/options.ts'

/** What to run when a step is complete, has timed out, or has a late answer. */
interface StepHandlers {
  answered(answered: AnsweredStep, opened: OpenContext, hold: StageHold): unknown
  timedOut(opened: OpenContext, hold: StageHold): unknown
  /** Handles answers that no run waits for any longer. undefined: they are dropped. */
  readonly late: Handle | undefined
}

export interface AnsweredStep {
  readonly payload: unknown
  readonly externalId: string
  readonly waiting: WaitingRun
  readonly store: ItemStore
}

export interface AwaitedStep {
  readonly flow: FlowDefinition
  readonly name: string
  readonly runs: StepHandlers
}

/** One answer, or a reminder, that is being delivered to its run. */
export interface AnswerDelivery extends AwaitedStep {
  readonly work: IncomingRecord
  readonly invocation: Invocation
  readonly store: ItemStore
  readonly ahead: boolean
}

export function runOf(flow: FlowDefinition, waiting: WaitingRun): RunReference {
  const { key, uniqueRequestId, sentAt, from, awaiting } = waiting
  return { name: flow.name, key, id: uniqueRequestId, epoch: awaiting.epoch, sentAt, from }
}

export function refuse({ reason, error }: Death): Claim {
  return { kind: 'refuse', refusal: { reason, error } }
}

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
  const build = (waiting: WaitingRun, maxBytes?: number): QueueMessage | undefined => {
    const stamp = {
      ...stampOf(work),
      uniqueRequestId: stableId(message.uniqueRequestId, waiting.stepId),
      resendNumber: 0,
      hops: hops + 1,
      flow: runOf(flow, waiting),
    }
    const copy = buildResend(record, message.envelope, stamp, { maxBytes })
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
  }
  const copies = found.map((waiting) => build(waiting))
  const sendable = copies.filter((copy) => copy !== undefined)
  if (sendable.length < copies.length) {
    return {
      kind: 'failed',
      error: new Error('the answer is too large to carry the run it is for'),
    }
  }
  const { queue } = invocation
  const { send } = invocation.consumer.messenger
  const together = await send(queue, sendable)
  const outcomes = await Promise.all(
    found.map(async (waiting, nth) => {
      const again = (maxBytes: number) => build(waiting, maxBytes)
      const copy = sendable[nth]
      if (copy === undefined) return together[nth]
      const sendOne = async (one: QueueMessage) =>
        one === copy ? together[nth] : (await send(queue, [one]))[0]
      return sendFitting(sendOne, copy, again)
    }),
  )
  const refusal = outcomes.find((outcome) => outcome !== undefined)
  if (refusal !== undefined) {
    const error = `${invocation.queue} did not take the answer for each run (${refusal.message}); it comes back`
    return { kind: 'failed', error: new SendFailedError(error, { cause: refusal }) }
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

/**
 * The answer may have arrived before its step was saved. It waits on the queue, with growing pauses, until the grace time is
 * over.
 */
export function unmatchedAnswer(delivered: AnswerDelivery, externalId: string): Claim {
  const { flow, name, work, invocation } = delivered
  const now = invocation.consumer.clock.now()
  const { takenAt: sentAt } = work.message
  const grace = toMilliseconds('grace', flow.awaitingSteps.get(name)?.grace ?? '5m')
  const early = decideEarly({ sentAt, grace }, now)
  if (early.kind === 'early') {
    const soon = now + Math.max(EARLY_MS, EARLY_FACTOR * (now - sentAt))
    return { kind: 'early', until: Math.min(early.until, soon), about: { externalId } }
  }
  return refuse({
    reason: 'unknown step',
    error: `no run of flow '${flow.name}' waits for '${externalId}' as '${name}', and none has within ${grace / 1_000} s`,
  })
}

const EARLY_MS = 2_000
const EARLY_FACTOR = 3
