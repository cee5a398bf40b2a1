import { Duration, Token } from 'aws-cdk-lib'
import {
  EventSourceMapping,
  type EventSourceMappingOptions,
  type IFunction,
} from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import type { MadeFunction } from './functionOf.ts'
import { refuse, refuseOwn } from './queueChecks.ts'

/** The event source mapping of a consumer. */
export interface LineclearMappingProps {
  /** Most records of one invocation. Above 10 it needs `maxBatchingWindow`; a FIFO queue has at most 10. Default 10. */
  readonly batchSize?: number
  /** How long Lambda waits for a batch to fill. Default: not at all. */
  readonly maxBatchingWindow?: Duration
  /** Most invocations at once, from 2 to 1,000: what your tables and providers bear. Default 10. */
  readonly maxConcurrency?: number
  /** Any other property of the event source mapping, such as `filters` or `provisionedPollerConfig`. Default: none. */
  readonly mappingProps?: Omit<EventSourceMappingOptions, OwnOfMapping>
}

type OwnOfMapping = keyof typeof OWN

const OWN = {
  eventSourceArn: 'queue',
  reportBatchItemFailures: 'nothing: without it SQS deletes failed records',
  batchSize: 'batchSize',
  maxBatchingWindow: 'maxBatchingWindow',
  maxConcurrency: 'maxConcurrency',
}
const DEFAULT_BATCH = 10
const DEFAULT_CONCURRENCY = 10
const LARGEST_BATCH = 10_000

/** Six times, because Lambda itself retries a batch that is throttled before the message is shown again. */
const TIMEOUTS = 6

/** In seconds. */
export function leastVisibility(
  { timeout }: MadeFunction,
  { maxBatchingWindow = Duration.seconds(0) }: LineclearMappingProps,
): number {
  return TIMEOUTS * timeout.toSeconds() + maxBatchingWindow.toSeconds()
}

export function mappingOf(
  scope: Construct & { readonly function: IFunction; readonly queue: IQueue },
  props: LineclearMappingProps,
): EventSourceMapping {
  const { batchSize = DEFAULT_BATCH, maxBatchingWindow, mappingProps } = props
  refuseOwn(scope, 'mappingProps', mappingProps, OWN)
  checkBatch(scope, batchSize, maxBatchingWindow)
  return new EventSourceMapping(scope, 'Mapping', {
    ...mappingProps,
    ...concurrencyOf(scope, props),
    target: scope.function,
    eventSourceArn: scope.queue.queueArn,
    batchSize,
    ...(maxBatchingWindow && { maxBatchingWindow }),
    reportBatchItemFailures: true,
  })
}

/** Provisioned pollers have a limit of their own, and Lambda refuses both. */
function concurrencyOf(
  scope: Construct,
  { maxConcurrency, mappingProps }: LineclearMappingProps,
): { readonly maxConcurrency?: number } {
  if (mappingProps?.provisionedPollerConfig !== undefined) {
    if (maxConcurrency === undefined) return {}
    refuse(
      scope,
      'maxConcurrency',
      'expected nothing beside provisionedPollerConfig, which limits the pollers; got a number',
    )
  }
  const most = maxConcurrency ?? DEFAULT_CONCURRENCY
  if (Token.isUnresolved(most) || (Number.isInteger(most) && most >= 2 && most <= 1_000)) {
    return { maxConcurrency: most }
  }
  refuse(scope, 'maxConcurrency', `expected a whole number from 2 to 1,000; got ${most}`)
}

function checkBatch(
  scope: Construct & { readonly queue: IQueue },
  size: number,
  window: Duration | undefined,
): void {
  if (Token.isUnresolved(size)) return
  const { fifo } = scope.queue
  if (fifo && (size > 10 || window !== undefined)) {
    refuse(
      scope,
      'batchSize',
      `expected at most 10 and no maxBatchingWindow, because the queue is FIFO; got ${size}`,
    )
  }
  if (!Number.isInteger(size) || size < 1 || size > LARGEST_BATCH) {
    refuse(scope, 'batchSize', `expected a whole number from 1 to 10,000; got ${size}`)
  }
  if (size > 10 && (window === undefined || window.toSeconds() < 1)) {
    refuse(
      scope,
      'maxBatchingWindow',
      `expected 1 second or more, because batchSize is above 10; got ${window?.toSeconds() ?? 0} s`,
    )
  }
}
