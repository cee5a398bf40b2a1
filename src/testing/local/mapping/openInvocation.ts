import type { Context } from 'aws-lambda'
import { randomUUID } from 'node:crypto'
import type { InjectedFault } from '../faults/faults.ts'
import { type LocalInvocation, newInvocation } from '../faults/invocation.ts'
import { noCallbacks } from './invoke.ts'
import type { OfInvocation, ObservedMessage } from '../observe/event.ts'
import { type InvocationWatch, watchInvocation } from '../observe/watchInvocation.ts'
import type { ConsumerContext, Injected } from './consumerContext.ts'
import type { ReceivedMessage } from './queueSource.ts'
import type { Counts } from './options.ts'

export interface OpenInvocation {
  readonly invocation: LocalInvocation
  readonly context: Context
  /** undefined: there was no listener when it began. */
  readonly watch: InvocationWatch | undefined
}

/** Numbers and counts a new invocation, which has not started yet. */
export function openInvocation(
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
      ...(watch && { watch: watch.calls }),
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
export function lambdaContext(
  lambda: { readonly name: string; readonly arn: string },
  deadline: number,
): Context {
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
