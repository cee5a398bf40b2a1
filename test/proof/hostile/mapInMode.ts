import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs'
import { type Faults, PROBABILITIES } from '../../../src/testing/local/faults/faults.ts'
import type { QueueHandler } from '../../../src/testing/local/mapping/invoke.ts'
import {
  mapQueue,
  type QueueMapping,
  type MappingOptions,
} from '../../../src/testing/local/mapping/mapQueue.ts'
import { toMilliseconds } from '../../../src/library/base/options.ts'
import { whenEnded } from '../../testing/local/helpers.ts'
import { KILL_POINTS } from './killPoints.ts'
import { byClockOf, passLease } from './time.ts'
import { mode } from './mode.ts'

/** As `mapQueue`, in the mode that this process runs in. */
export function mapInMode(options: MappingOptions): QueueMapping {
  const { cloud, queue, handler, faults = {}, functionTimeout = 30_000, observe } = options
  const { concurrency, killsAtEachCall } = mode
  const receipts = new Map<string, string>()
  const watched: QueueHandler = (event, context, callback) => {
    for (const { messageId, receiptHandle } of event.Records) receipts.set(messageId, receiptHandle)
    return byClockOf(handler, () => handler(event, context, callback))
  }
  /** SQS would redeliver them when their visibility ends; SQS may do so at any time. */
  const bringBack = (messageIds: readonly string[]): void => {
    passLease(toMilliseconds('functionTimeout', functionTimeout))
    for (const messageId of messageIds) {
      const hidden = { QueueUrl: cloud.queueUrl(queue), ReceiptHandle: receipts.get(messageId) }
      const command = new ChangeMessageVisibilityCommand({ ...hidden, VisibilityTimeout: 0 })
      cloud.sqs.send(command).catch(() => {})
    }
  }
  const killed = whenEnded(({ outcome, messageIds }) => {
    if (killsAtEachCall && outcome === 'killed') bringBack(messageIds)
  })
  const mapping = mapQueue({
    ...options,
    handler: watched,
    faults: together(faults, mode.faults, killsAtEachCall ? KILL_POINTS : []),
    ...(concurrency === undefined
      ? {}
      : { batchSize: options.batchSize ?? 1, concurrency: concurrency }),
    observe: (event) => {
      killed(event)
      observe?.(event)
    },
  })
  return {
    ...mapping,
    drained: ({ timeout = 30_000 } = {}) =>
      mapping.drained({ timeout: toMilliseconds('timeout', timeout) * PATIENCE }),
  }
}

/** Deliveries made twice, or after the lease of a killed one, take longer. */
const PATIENCE = 3

function together(own: Faults, other: Faults, points: NonNullable<Faults['at']>): Faults {
  const sums = PROBABILITIES.map(
    (name) => [name, Math.min((own[name] ?? 0) + (other[name] ?? 0), 1)] as const,
  )
  return {
    ...other,
    ...own,
    ...Object.fromEntries(sums),
    seed: own.seed ?? 1,
    duplicateLater: Math.min((own.duplicateLater ?? 0) + (other.duplicateLater ?? 0), 0.6),
    shuffle: own.shuffle === true || other.shuffle === true,
    at: [...(own.at ?? []), ...points],
  }
}
