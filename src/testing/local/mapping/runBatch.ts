import type { Context } from 'aws-lambda'
import { randomUUID } from 'node:crypto'
import { messageOf } from '../../../library/base/errors.ts'
import { readFailures } from '../../queues/deliverNext.ts'
import {
  type Faults,
  type InjectedFault,
  redeliveredAfter,
  happens,
  sandboxDeathAfter,
  killsBeforeDelete,
} from '../faults/faults.ts'
import {
  isTerminated,
  type LocalInvocation,
  newInvocation,
  terminate,
} from '../faults/invocation.ts'
import type { ObservedMessage, OfInvocation } from '../observe/event.ts'
import { type InvocationWatch, watchInvocation } from '../observe/watchInvocation.ts'
import { type ReceivedMessage, toEvent } from './queueSource.ts'
import type { ConsumerContext, Injected } from './consumerContext.ts'
import type { Counts } from './options.ts'
import { invoke, type InvocationOutcome, noCallbacks, type RunsOn } from './invoke.ts'

/** Runs the handler with a batch, and with its duplicated messages in a second invocation at the same time. */
export async function runBatch(
  consumer: ConsumerContext,
  deliveries: readonly ReceivedMessage[],
): Promise<InvocationOutcome['kind']> {
  const injected = consumer.injection.now()
  const duplicated = consumer.fifo
    ? []
    : deliveries.filter(({ number }) => happens(injected.faults, 'duplicate', number))
  consumer.counts.duplicates += duplicated.length
  const [outcome] = await Promise.all([
    runOnce(consumer, injected, deliveries),
    duplicated.length === 0 ? undefined : runOnce(consumer, injected, duplicated, 'duplicate'),
  ])
  return outcome
}

async function runOnce(
  consumer: ConsumerContext,
  injected: Injected,
  deliveries: readonly ReceivedMessage[],
  as: 'first' | 'duplicate' = 'first',
): Promise<InvocationOutcome['kind']> {
  const { settings } = consumer
  const { faults } = injected
  const sandbox = consumer.sandboxes.take()
  const open = openInvocation(consumer, injected, deliveries, sandbox.termination)
  const { invocation, context, watch } = open
  const messageIds = deliveries.map(({ messageId }) => messageId)
  if (as === 'duplicate') for (const id of messageIds) watch?.struck('duplicate', id)
  const untilDeath = sandboxDeath(consumer, open)
  const event = toEvent(deliveries)
  const answered = await invoke(sandbox.handler, event, context, invocation, runsOn(consumer))
  clearTimeout(untilDeath)
  const outcome = maybeKill(consumer, open, answered)
  const frozen =
    sandbox.termination === undefined &&
    (happens(faults, 'freeze', invocation.number) || invocation.struckBy(['freeze']) !== undefined)
  if (isTerminated(invocation)) consumer.sandboxes.discard(sandbox)
  else consumer.sandboxes.giveBack(sandbox, invocation, frozen)
  if (frozen && !isTerminated(invocation)) watch?.struck('freeze')
  const failed = failuresOf(outcome, messageIds, settings.partialResponses)
  countOutcome(consumer, outcome)
  const kept = await deleteSucceeded(consumer, faults, deliveries, failed)
  for (const id of kept) watch?.struck('duplicateLater', id)
  const failures = messageIds.filter((id) => failed.has(id))
  watch?.ended(outcome, failures)
  return outcome.kind
}

function runsOn({ runningOn }: ConsumerContext): RunsOn | undefined {
  if (runningOn === undefined) return undefined
  return (code) => {
    runningOn.add(code)
    void code.then(() => runningOn.delete(code))
  }
}

function sandboxDeath(
  { counts }: ConsumerContext,
  { invocation, watch }: OpenInvocation,
): NodeJS.Timeout | undefined {
  const milliseconds = sandboxDeathAfter(invocation.faults, invocation.number)
  if (milliseconds === undefined) return undefined
  return setTimeout(() => {
    if (isTerminated(invocation)) return
    counts.kills += 1
    watch?.struck('sandboxDeath')
    terminate(invocation, 'killed')
  }, milliseconds)
}

function maybeKill(
  { counts }: ConsumerContext,
  { invocation, watch }: OpenInvocation,
  outcome: InvocationOutcome,
): InvocationOutcome {
  if (outcome.kind !== 'answered') return outcome
  const kills =
    killsBeforeDelete(invocation.faults, invocation.number) ||
    invocation.isDoomed ||
    invocation.struckBy(['killBeforeDelete']) !== undefined
  if (!kills) return outcome
  counts.kills += 1
  watch?.struck('killBeforeDelete')
  terminate(invocation, 'killed')
  return { kind: 'killed' }
}

function failuresOf(
  outcome: InvocationOutcome,
  messageIds: readonly string[],
  partial: boolean,
): ReadonlySet<string> {
  if (outcome.kind !== 'answered') return new Set(messageIds)
  return partial ? readFailures(JSON.parse(outcome.response), messageIds) : new Set()
}

function countOutcome(
  { counts, settings, lambda }: ConsumerContext,
  outcome: InvocationOutcome,
): void {
  if (outcome.kind === 'answered') return
  counts.failedInvocations += 1
  if (outcome.kind === 'killed') return
  if (outcome.kind === 'timedOut') counts.timeouts += 1
  settings.logger.error(
    'The function failed. Its messages are redelivered when their visibility timeout ends.',
    {
      function: lambda.name,
      error:
        outcome.kind === 'failed'
          ? messageOf(outcome.error)
          : `timed out after ${settings.functionTimeout} ms`,
    },
  )
}

/**
 * Deletes the messages that succeeded. The first success of a duplicated message counts, as with SQS, so a wrong
 * acknowledgement loses the message. Failed messages are redelivered when their visibility timeout ends.
 * @returns the ids of the messages that a fault has kept on the queue
 */
async function deleteSucceeded(
  consumer: ConsumerContext,
  faults: Faults,
  deliveries: readonly ReceivedMessage[],
  failures: ReadonlySet<string>,
): Promise<readonly string[]> {
  const done = deliveries.filter(({ gone, messageId }) => !gone && !failures.has(messageId))
  for (const delivery of done) delivery.gone = true
  const again = done.flatMap((delivery) => {
    const seconds = secondsUntilAgain(consumer, faults, delivery)
    return seconds === undefined ? [] : [{ ...delivery, seconds }]
  })
  const forgotten = new Set(again.map(({ number }) => number))
  const handles = done.filter(({ number }) => !forgotten.has(number))
  try {
    const removed = await consumer.source.remove(handles.map(({ receiptHandle }) => receiptHandle))
    consumer.counts.deleted += removed.done
    consumer.counts.duplicates += again.length
    if (again.length > 0) await consumer.source.hide(again)
    if (removed.failed.length > 0) warnOfDelete(consumer, removed.failed)
  } catch (error) {
    warnOfDelete(consumer, messageOf(error))
  }
  return again.map(({ messageId }) => messageId)
}

function secondsUntilAgain(
  { fifo }: ConsumerContext,
  faults: Faults,
  { number }: ReceivedMessage,
): number | undefined {
  const seconds = redeliveredAfter(faults, number)
  return seconds === undefined && fifo && happens(faults, 'duplicate', number) ? 0 : seconds
}

function warnOfDelete({ settings, lambda }: ConsumerContext, error: unknown): void {
  settings.logger.warn('Messages could not be deleted: they will be redelivered.', {
    function: lambda.name,
    error,
  })
}

interface OpenInvocation {
  readonly invocation: LocalInvocation
  readonly context: Context
  /** undefined: there was no listener when it began. */
  readonly watch: InvocationWatch | undefined
}

/** Numbers and counts a new invocation, which has not started yet. */
function openInvocation(
  consumer: ConsumerContext,
  { faults, began }: Injected,
  deliveries: readonly ReceivedMessage[],
  termination: AbortController = new AbortController(),
): OpenInvocation {
  const { settings, counts, lambda, injection } = consumer
  const number = (counts.invocations += 1)
  counts.deliveries += deliveries.length
  const context = lambdaContext(lambda, Date.now() + settings.functionTimeout)
  const emit = consumer.listening()
  const of: OfInvocation = {
    queue: consumer.queue,
    function: lambda.name,
    invocation: number,
    awsRequestId: context.awsRequestId,
  }
  const ids = deliveries.flatMap(({ messageId, uniqueRequestId = messageId }) => [
    messageId,
    uniqueRequestId,
  ])
  const watch = emit && watchInvocation(emit, of)
  const invocation = newInvocation(
    number,
    faults,
    (fault, at) => {
      counts[COUNTED[fault]] += 1
      watch?.injected(fault, at)
    },
    {
      began,
      termination,
      struckBy: (wanted, call) =>
        injection.strikes.take(wanted, { invocation: number, ids, ...(call && { call }) }),
      expects: injection.strikes.waits,
      watch: watch?.calls,
    },
  )
  watch?.begun(invocation, deliveries.map(toObserved))
  return { invocation, context, watch }
}

function toObserved(delivery: ReceivedMessage): ObservedMessage {
  const { messageId, uniqueRequestId, receiveCount, group } = delivery
  return {
    messageId,
    ...(uniqueRequestId !== undefined && { uniqueRequestId }),
    receiveCount,
    ...(group !== undefined && { group }),
  }
}

const COUNTED: Readonly<Record<InjectedFault, keyof Counts>> = {
  killBefore: 'kills',
  killAfter: 'kills',
  loseAnswer: 'lostAnswers',
  throttle: 'throttles',
  hangBefore: 'hangs',
  hangAfter: 'hangs',
  conflict: 'conflicts',
  staleRead: 'staleReads',
  tableThrottle: 'tableThrottles',
}

/** Lambda's context object. `deadline` in epoch milliseconds. */
export function lambdaContext(lambda: ConsumerContext['lambda'], deadline: number): Context {
  return {
    awsRequestId: randomUUID(),
    functionName: lambda.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: lambda.arn,
    memoryLimitInMB: '128',
    logGroupName: `/aws/lambda/${lambda.name}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => deadline - Date.now(),
    done: noCallbacks,
    fail: noCallbacks,
    succeed: noCallbacks,
  }
}
