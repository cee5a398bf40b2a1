import { messageOf } from '../../errors.ts'
import { toEvent, type Delivery } from './delivery.ts'
import {
  diesAfter,
  freezesAfter,
  type InjectedFault,
  isDoubled,
  killsBeforeDelete,
} from './faults.ts'
import { die, isDead, newInvocation, type Invocation } from './invocation.ts'
import { invoke, type Outcome } from './invoke.ts'
import { lambdaContext } from './lambdaContext.ts'
import type { Counts } from './report.ts'
import { readFailures, type Failures } from './response.ts'
import { settle } from './settle.ts'
import type { Workplace } from './consumerContext.ts'

/** Gives a batch to the handler, and some of it to a second invocation at the same time if the faults say so. */
export async function runBatch(
  work: Workplace,
  deliveries: readonly Delivery[],
): Promise<Outcome['kind']> {
  const twins = work.fifo ? [] : deliveries.filter(({ number }) => isDoubled(work.faults, number))
  work.counts.duplicates += twins.length
  const [outcome] = await Promise.all([
    runOnce(work, deliveries),
    twins.length === 0 ? undefined : runOnce(work, twins),
  ])
  return outcome
}

async function runOnce(work: Workplace, deliveries: readonly Delivery[]): Promise<Outcome['kind']> {
  const { settings, counts, faults, lambda } = work
  const number = (counts.invocations += 1)
  counts.deliveries += deliveries.length
  const injected = (fault: InjectedFault): void => countFault(counts, fault)
  const invocation = newInvocation(number, faults, injected, work.began)
  const context = lambdaContext(lambda, Date.now() + settings.functionTimeout)
  const sandbox = work.sandboxes.take()
  const untilDeath = sandboxDeath(work, invocation)
  const answered = await invoke(sandbox.handler, toEvent(deliveries), context, invocation)
  clearTimeout(untilDeath)
  const outcome = maybeKill(work, invocation, answered)
  sandbox.leftovers.add(invocation)
  if (isDead(invocation)) work.sandboxes.discard(sandbox)
  else work.sandboxes.giveBack(sandbox, freezesAfter(faults, number))
  const messageIds = deliveries.map(({ messageId }) => messageId)
  const failures = failuresOf(outcome, messageIds, settings.partialResponses)
  countOutcome(work, outcome)
  await settle(work, deliveries, failures)
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
  { faults, counts }: Workplace,
  invocation: Invocation,
): NodeJS.Timeout | undefined {
  const milliseconds = diesAfter(faults, invocation.number)
  if (milliseconds === undefined) return undefined
  return setTimeout(() => {
    if (isDead(invocation)) return
    counts.kills += 1
    die(invocation, 'killed')
  }, milliseconds)
}

function maybeKill(
  { faults, counts }: Workplace,
  invocation: Invocation,
  outcome: Outcome,
): Outcome {
  if (outcome.kind !== 'answered' || !killsBeforeDelete(faults, invocation.number)) return outcome
  counts.kills += 1
  die(invocation, 'killed')
  return { kind: 'killed' }
}

function failuresOf(outcome: Outcome, messageIds: readonly string[], partial: boolean): Failures {
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

function countOutcome({ counts, settings, lambda }: Workplace, outcome: Outcome): void {
  if (outcome.kind === 'answered') return
  counts.failedInvocations += 1
  if (outcome.kind === 'killed') return
  if (outcome.kind === 'timedOut') counts.timeouts += 1
  settings.logger.error('The function failed. Its messages come back when their visibility ends.', {
    function: lambda.name,
    error:
      outcome.kind === 'failed'
        ? messageOf(outcome.error)
        : `the time of ${settings.functionTimeout} ms was over`,
  })
}
