import { Duration } from 'aws-cdk-lib'
import {
  EventSourceMapping,
  type EventSourceMappingOptions,
  type IFunction,
} from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import type { MadeFunction } from './functionOf.ts'

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

type OwnOfMapping =
  | 'eventSourceArn'
  | 'reportBatchItemFailures'
  | 'batchSize'
  | 'maxBatchingWindow'
  | 'maxConcurrency'

const DEFAULT_BATCH = 10
const DEFAULT_CONCURRENCY = 10

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
  {
    batchSize = DEFAULT_BATCH,
    maxBatchingWindow,
    maxConcurrency,
    mappingProps,
  }: LineclearMappingProps,
): EventSourceMapping {
  // Provisioned pollers have a limit of their own, and Lambda refuses both.
  const isLimited = mappingProps?.provisionedPollerConfig !== undefined
  const most = maxConcurrency ?? (isLimited ? undefined : DEFAULT_CONCURRENCY)
  return new EventSourceMapping(scope, 'Mapping', {
    ...mappingProps,
    ...(most !== undefined && { maxConcurrency: most }),
    target: scope.function,
    eventSourceArn: scope.queue.queueArn,
    batchSize,
    ...(maxBatchingWindow && { maxBatchingWindow }),
    reportBatchItemFailures: true,
  })
}
