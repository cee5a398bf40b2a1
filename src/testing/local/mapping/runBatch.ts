import { messageOf } from '../../../errors.ts'
import { toEvent, type ReceivedMessage } from './receivedMessage.ts'
import {
  sandboxDeathAfter,
  freezesAfter,
  type InjectedFault,
  isDuplicated,
  killsBeforeDelete,
} from '../faults/faults.ts'
import {
  terminate,
  isTerminated,
  newInvocation,
  type LocalInvocation,
} from '../faults/invocation.ts'
import { invoke, type InvocationOutcome } from './invoke.ts'
import { lambdaContext } from './lambdaContext.ts'
import type { Counts } from './report.ts'
import { readFailures, type FailedMessages } from './readFailures.ts'
import { deleteSucceeded } from './deleteSucceeded.ts'
import type { ConsumerContext } from './consumerContext.ts'

/** Runs the handler with a batch, and with its duplicated messages in a second invocation at the same time. */
export async function runBatch(
  consumer: ConsumerContext,
  deliveries: readonly ReceivedMessage[],
): Promise<InvocationOutcome['kind']> {
  const duplicated = consumer.fifo
    ? []
    : deliveries.filter(({ number }) => isDuplicated(consumer.faults, number))
  consumer.counts.duplicates += duplicated.length
  const [outcome] = await Promise.all([
    runOnce(consumer, deliveries),
    duplicated.length === 0 ? undefined : runOnce(consumer, duplicated),
  ])
  return outcome
}

async function runOnce(
  consumer: ConsumerContext,
  deliveries: readonly ReceivedMessage[],
): Promise<InvocationOutcome['kind']> {
  const { settings, counts, faults, lambda } = consumer
  const number = (counts.invocations += 1)
  counts.deliveries += deliveries.length
  const injected = (fault: InjectedFault): void => countFault(counts, fault)
  const invocation = newInvocation(number, faults, injected, consumer.began)
  const context = lambdaContext(lambda, Date.now() + settings.functionTimeout)
  const sandbox = consumer.sandboxes.take()
  const untilDeath = sandboxDeath(consumer, invocation)
  const answered = await invoke(sandbox.handler, toEvent(deliveries), context, invocation)
  clearTimeout(untilDeath)
  const outcome = maybeKill(consumer, invocation, answered)
  sandbox.leftovers.add(invocation)
  if (isTerminated(invocation)) consumer.sandboxes.discard(sandbox)
  else consumer.sandboxes.giveBack(sandbox, freezesAfter(faults, number))
  const messageIds = deliveries.map(({ messageId }) => messageId)
  const failures = failuresOf(outcome, messageIds, settings.partialResponses)
  countOutcome(consumer, outcome)
  await deleteSucceeded(consumer, deliveries, failures)
  settings.onInvocation({
    number,
    awsRequestId: context.awsRequestId,
    messageIds,
    outcome: outcome.kind,
    ...(outcome.kind === 'failed' && { error: outcome.error }),
    failures: messageIds.filter((id) => failures === 'all' || failures.has(id)),
    calls: invocation.calls,
  })
  return outcome.kind
}

function sandboxDeath(
  { faults, counts }: ConsumerContext,
  invocation: LocalInvocation,
): NodeJS.Timeout | undefined {
  const milliseconds = sandboxDeathAfter(faults, invocation.number)
  if (milliseconds === undefined) return undefined
  return setTimeout(() => {
    if (isTerminated(invocation)) return
    counts.kills += 1
    terminate(invocation, 'killed')
  }, milliseconds)
}

function maybeKill(
  { faults, counts }: ConsumerContext,
  invocation: LocalInvocation,
  outcome: InvocationOutcome,
): InvocationOutcome {
  if (outcome.kind !== 'answered' || !killsBeforeDelete(faults, invocation.number)) return outcome
  counts.kills += 1
  terminate(invocation, 'killed')
  return { kind: 'killed' }
}

function failuresOf(
  outcome: InvocationOutcome,
  messageIds: readonly string[],
  partial: boolean,
): FailedMessages {
  if (outcome.kind !== 'answered') return 'all'
  return partial ? readFailures(outcome.response, messageIds) : new Set()
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

function countFault(counts: Counts, fault: InjectedFault): void {
  counts[COUNTED[fault]] += 1
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
