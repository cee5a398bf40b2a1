import { SQSClient } from '@aws-sdk/client-sqs'
import * as SQS from '../../library/base/limits/sqs.ts'
import { aClient, aQueueUrl, having, required, whole } from '../../library/base/options.ts'
import { CALL_TIMES } from '../../library/base/inTime.ts'
import { functionArnOf } from '../local/description/description.ts'
import { isFifoName, lastSegment } from '../queues/description.ts'
import { injection } from '../local/mapping/consumerContext.ts'
import { startPoller } from '../local/mapping/poller.ts'
import {
  checkConsumerOptions,
  type ConsumerOptions,
  warnOfShortVisibility,
  noCounts,
} from '../local/mapping/options.ts'
import { queueSourceOf, readQueue } from '../local/mapping/queueSource.ts'
import { sandboxes } from '../local/mapping/sandboxes.ts'

/** Options of `runWorker`: the queue, the handler, and how to stop. */
export interface WorkerOptions extends ConsumerOptions {
  readonly queueUrl: string
  /** Default: a client with region, credentials and endpoint from the environment. */
  readonly sqs?: SQSClient
  /** Whole seconds of a long poll, 0 to 20. A stop waits for the running poll, so that it loses no message. Default 5. */
  readonly waitSeconds?: number
  /** Stops the worker, as SIGTERM and SIGINT do. */
  readonly signal?: AbortSignal
}

const WORKER = {
  queueUrl: required({
    ...aQueueUrl,
    expected: 'the URL of a queue (is its environment variable set?)',
  }),
  sqs: aClient('SQSClient'),
  waitSeconds: whole(0, SQS.longPoll),
  signal: having('an AbortSignal', 'addEventListener'),
}

/**
 * Consumes a queue in a long-lived process as Lambda's event source mapping does: same events, same responses, same deletes.
 * On SIGTERM, SIGINT or `signal` it stops polling, waits for running batches, deletes what succeeded and resolves.
 * Needs sqs:ReceiveMessage, DeleteMessage, ChangeMessageVisibility and GetQueueAttributes.
 * @throws ConfigError on a wrong option, and the SDK's error when the queue cannot be read at the start
 * @example
 * const handler = recordHandler({ name: 'worker', store, queueUrl }, work)
 * await runWorker({ queueUrl, handler, concurrency: 10, functionTimeout: '1m' })
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const settings = checkConsumerOptions('runWorker', options, WORKER)
  const { queueUrl, waitSeconds = 5, signal } = options
  const sqs = options.sqs ?? new SQSClient({ requestHandler: timesOf(waitSeconds), md5: false })
  const stop = stopRequest(signal)
  try {
    const { arn, visibilitySeconds } = await readQueue(sqs, queueUrl)
    warnOfShortVisibility(arn, visibilitySeconds, settings)
    const name = options.functionName ?? lastSegment(arn).replace('.', '-')
    const consumer = startPoller({
      settings,
      queueArn: arn,
      fifo: isFifoName(queueUrl),
      injection: injection({}),
      listening: () => undefined,
      queue: lastSegment(arn),
      counts: noCounts(),
      sandboxes: sandboxes(settings.handler, undefined),
      runningOn: undefined,
      source: queueSourceOf(sqs, queueUrl),
      lambda: { name, arn: functionArnOf(arn, name) },
      waitSeconds,
    })
    await stop.requested
    await consumer.stop()
  } finally {
    stop.forget()
    if (options.sqs === undefined) sqs.destroy()
  }
}

/** A stop waits for the running poll, which must end before the platform kills the process, even on a half-open connection. */
function timesOf(waitSeconds: number): { readonly requestTimeout: number } {
  const { requestTimeout } = CALL_TIMES
  return { ...CALL_TIMES, requestTimeout: waitSeconds * 1_000 + requestTimeout }
}

/** Each signal is handled once, so a second Ctrl-C ends the process as usual. */
function stopRequest(signal: AbortSignal | undefined): {
  readonly requested: Promise<void>
  forget(): void
} {
  let request = (): void => {}
  const requested = new Promise<void>((resolve) => {
    request = resolve
  })
  if (signal?.aborted) request()
  signal?.addEventListener('abort', request, { once: true })
  process.once('SIGTERM', request)
  process.once('SIGINT', request)
  return {
    requested,
    forget: () => {
      signal?.removeEventListener('abort', request)
      process.off('SIGTERM', request)
      process.off('SIGINT', request)
    },
  }
}
