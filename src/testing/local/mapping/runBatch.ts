import { messageOf } from '../../../base/errors.ts'
import { toEvent, type ReceivedMessage } from './queueSource.ts'
import { sandboxDeathAfter, type Faults, happens, killsBeforeDelete } from '../faults/faults.ts'
import { isDoomed, terminate, isTerminated } from '../faults/invocation.ts'
import { invoke, type InvocationOutcome, type RunsOn } from './invoke.ts'
import { openInvocation, type OpenInvocation } from './openInvocation.ts'
import { type FailedMessages, readFailures } from '../../queues/deliverNext.ts'
import { deleteSucceeded } from './deleteSucceeded.ts'
import type { ConsumerContext, Injected } from './consumerContext.ts'

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
  const untilDeath = sandboxDeath(consumer, faults, open)
  const event = toEvent(deliveries)
  const answered = await invoke(sandbox.handler, event, context, invocation, runsOn(consumer))
  clearTimeout(untilDeath)
  const outcome = maybeKill(consumer, faults, open, answered)
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
  const failures = messageIds.filter((id) => failed === 'all' || failed.has(id))
  const error = outcome.kind === 'failed' ? { error: outcome.error } : {}
  watch?.ended({ outcome: outcome.kind, failures, ...error })
  settings.onInvocation({
    number: invocation.number,
    awsRequestId: context.awsRequestId,
    messageIds,
    outcome: outcome.kind,
    ...error,
    failures,
    calls: invocation.calls,
  })
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
  faults: Faults,
  { invocation, watch }: OpenInvocation,
): NodeJS.Timeout | undefined {
  const milliseconds = sandboxDeathAfter(faults, invocation.number)
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
  faults: Faults,
  { invocation, watch }: OpenInvocation,
  outcome: InvocationOutcome,
): InvocationOutcome {
  if (outcome.kind !== 'answered') return outcome
  const kills =
    killsBeforeDelete(faults, invocation.number) ||
    isDoomed(invocation) ||
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
): FailedMessages {
  if (outcome.kind !== 'answered') return 'all'
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
