import { hasNoAnswer } from '../../protocol/store/store.ts'
import {
  decideAnswer,
  moveTimeout,
  type Receipt,
} from '../../protocol/claim/awaiting/decideAnswer.ts'
import { toMilliseconds } from '../../base/options.ts'
import type { Duration } from '../../base/time.ts'
import { attempt, decideAndWrite, done, look } from '../../protocol/claim/decideAndWrite.ts'
import { buildMessage } from '../../protocol/record/envelope/buildMessage.ts'
import { ConfigError, SendFailedError } from '../../base/errors.ts'
import { stableId } from '../../base/ids.ts'
import { sortableId } from '../../base/sortableId.ts'
import { parsePayload } from '../../protocol/record/message/parsePayload.ts'
import { payloadText } from '../../protocol/record/envelope/payloadText.ts'
import { traced } from '../producer/trace.ts'
import { assertExternalId, assertDefinedName, externalIdOf } from './assertDefined.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import { flowGroup } from '../../protocol/send/messageGroup.ts'
import type { ItemStore } from '../../protocol/claim/itemStore.ts'
import { storedAnswer, takeAnswer } from '../../protocol/claim/awaiting/takeAnswer.ts'
import {
  findWaitingRuns,
  isRunning,
  type WaitingRun,
} from '../../protocol/claim/awaiting/waitingRuns.ts'

/**
 * Sends an answer to its queue before the caller gets a receipt. What the consumer then does depends on the table alone: a caller
 * that repeats the call after a lost reply, or a second copy, changes nothing.
 */
export async function answer(
  flow: FlowDefinition,
  name: string,
  payload: unknown,
  store: ItemStore,
): Promise<Receipt> {
  assertDefinedName(flow, 'answer', name, flow.awaitingSteps)
  const { schema, form, sender, clock, offload } = flow.consumerOf(name)
  const queueUrl = queueOf(flow, name)
  const body = payloadText(`defineFlow('${flow.name}').answer('${name}')`, payload)
  const externalId = externalIdOf(flow, name, await parsePayload(body, form, schema))
  const uniqueRequestId = stableId(flow.name, name, externalId, body)
  const stamp = { uniqueRequestId, resendNumber: 0, hops: 0, sentAt: clock.now() }
  const message = buildMessage(body, {}, stamp, { payloads: offload })
  const found = await findWaitingRuns(flow, name, externalId, store)
  const kept = storedAnswer(body, externalId)
  const known = await Promise.all(found.map((waiting) => foresee(flow, store, waiting, kept.hash)))
  if (known.length === 0 || known.includes(undefined)) {
    const useful = found.find((_, index) => known[index] === undefined)
    const order = flowGroup(queueUrl, useful?.tenant, {
      key: externalId,
      // A copy changes nothing. But a FIFO queue drops a message whose id it has seen within five minutes, also after its consumer
      // has refused it, and then the step would be complete without a message.
      // @protects an answer that is given again is on its FIFO queue again
      // @without externalId + body @tests test/proof/lifetimes
      uniqueRequestId: sortableId(clock.now()),
    })
    const to = { route: 'send', target: queueUrl, count: 1 } as const
    const [sent] = await traced(flow.tracing, to, (traceparent) => {
      const own = traceparent
        ? buildMessage(body, {}, { ...stamp, traceparent }, { payloads: offload })
        : message
      return sender.deliver('send', queueUrl, [{ ...own, ...order }])
    })
    if (sent instanceof Error) throw refused(queueUrl, sent)
  }
  const receipts = await Promise.all(
    found.map(async (waiting, index) => known[index] ?? acceptAnswer(store, waiting, kept)),
  )
  return MOST_USEFUL_FIRST.find((each) => receipts.includes(each)) ?? 'unknown'
}

/** If several runs wait, the receipt reports the best result of any of them. */
const MOST_USEFUL_FIRST: readonly Receipt[] = [
  'accepted',
  'duplicate',
  'conflict',
  'late',
  'superseded',
]

/** @returns undefined when a run may still use the answer */
async function foresee(
  flow: FlowDefinition,
  store: ItemStore,
  waiting: WaitingRun,
  hash: string,
): Promise<Receipt | undefined> {
  if (!waiting.awaiting.reopened && !(await isRunning(flow, store, waiting))) return 'superseded'
  const decision = decideAnswer(waiting.awaiting, { stepId: waiting.stepId, hash })
  return decision.kind === 'over' ? decision.receipt : undefined
}

/** Accepts one answer: when two different ones arrive at the same time, the conditional write decides which. */
async function acceptAnswer(
  store: ItemStore,
  waiting: WaitingRun,
  kept: Parameters<typeof takeAnswer>[2],
): Promise<Receipt> {
  const before = waiting.awaiting.steps.get(waiting.stepId)
  const taken = await takeAnswer(store, waiting, kept)
  if (taken.kind === 'receipt') return taken.receipt
  return before === undefined ? 'accepted' : 'duplicate'
}

function refused(queueUrl: string, refusal: Error): SendFailedError {
  return new SendFailedError(
    `${queueUrl} did not take the answer (${refusal.message}); no run continues yet, answer again`,
    { cause: refusal },
  )
}

/** @returns the number of runs whose timeout was moved */
export async function extendTimeout(
  flow: FlowDefinition,
  name: string,
  externalId: string,
  by: Duration,
  store: ItemStore,
  now: number,
): Promise<number> {
  assertDefinedName(flow, 'extendTimeout', name, flow.awaitingSteps)
  assertExternalId(flow, name, externalId)
  const until = Math.ceil(now + toMilliseconds('by', by))
  return decideAndWrite<readonly WaitingRun[], number>(
    await findWaitingRuns(flow, name, externalId, store),
    (found) => {
      const moves = found.map(({ awaiting }) => moveTimeout(awaiting, until))
      const updates = moves.filter((update) => update !== undefined)
      // Those that this call has moved before: in an earlier round, or by a write whose answer was lost.
      const moved = found.filter(({ awaiting }) => awaiting.until === until).length
      if (updates.length === 0) return done(moved)
      return attempt(async () => {
        const outcomes = await Promise.all(updates.map((update) => store.update(update)))
        const failed = outcomes.find(hasNoAnswer)
        if (failed !== undefined) throw failed.error
        return outcomes.every(({ kind }) => kind === 'applied')
          ? done(moved + outcomes.length)
          : look(await findWaitingRuns(flow, name, externalId, store))
      })
    },
    () => 0,
  )
}

function queueOf(flow: FlowDefinition, name: string): string {
  const queueUrl = flow.awaitingSteps.get(name)?.queueUrl
  if (queueUrl !== undefined) return queueUrl
  throw new ConfigError(
    `defineFlow('${flow.name}').answer('${name}'): awaitingSteps.${name}.queueUrl is not set: the answer has nowhere to wait`,
  )
}
