import { toMilliseconds } from '../../../base/options.ts'
import type { Duration } from '../../../base/time.ts'
import { ConfigError } from '../../../base/errors.ts'
import { jsonLogger, type Logger } from '../../../base/logger.ts'
import { checkIs, checkWhole, hasMethod } from '../../queues/checkQueues.ts'
import type { Observer } from '../observe/event.ts'
import type { QueueHandler } from './invoke.ts'
import type { InvocationReport } from './report.ts'

/** Options that `mapQueue` and `runWorker` share: those of Lambda's event source mapping. */
export interface ConsumerOptions {
  readonly handler: QueueHandler
  /** Records per invocation: 1 to 10,000, on FIFO queues 1 to 10. More than 10 needs a window of 1 s or more. Default 10. */
  readonly batchSize?: number
  /** How long to wait for a full batch, up to 300 s; not on FIFO queues. Default 0. */
  readonly window?: Duration
  /** Invocations at the same time, on FIFO queues never two for one message group. Default 5. */
  readonly concurrency?: number
  /** The invocation dies after this time and its batch fails. Default 30 s. */
  readonly functionTimeout?: Duration
  /** Default: the name of the queue. */
  readonly functionName?: string
  /** When false, the response is ignored and only an exception fails the batch. Default true. */
  readonly reportBatchItemFailures?: boolean
  /** Default: JSON lines of warnings and errors on standard output. */
  readonly logger?: Logger
  /** Called at the end of each invocation. */
  readonly onInvocation?: (report: InvocationReport) => void
  /**
   * Called with the live events of the consumer: invocations, their SDK calls, faults. It is not awaited, and what it throws is
   * logged once. `observeLocalClouds` sees those of all. Default: none, and no event is made.
   */
  readonly observe?: Observer
}

/** The options, checked and with their defaults. Times in milliseconds. */
export interface ConsumerSettings {
  readonly handler: QueueHandler
  readonly batchSize: number
  readonly window: number
  readonly concurrency: number
  readonly functionTimeout: number
  readonly partialResponses: boolean
  readonly logger: Logger
  readonly onInvocation: (report: InvocationReport) => void
  readonly observe: Observer | undefined
}

export const FUNCTION_TIMEOUT_MS = 30_000

export const CONSUMER_OPTIONS: readonly string[] = [
  'handler',
  'batchSize',
  'window',
  'concurrency',
  'functionTimeout',
  'functionName',
  'reportBatchItemFailures',
  'logger',
  'onInvocation',
  'observe',
]

/** @throws ConfigError where AWS refuses the mapping: docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html */
export function checkConsumerOptions(options: ConsumerOptions, fifo: boolean): ConsumerSettings {
  const { handler, batchSize = 10, concurrency = 5, reportBatchItemFailures = true } = options
  const window = toMilliseconds('window', options.window ?? 0)
  if (typeof handler !== 'function') {
    throw new ConfigError(`handler: expected a function, got ${typeof handler}`)
  }
  checkIs(
    'logger',
    isLogger(options.logger),
    'a logger with debug, info, warn and error',
    options.logger,
  )
  checkIs(
    'observe',
    ['function', 'undefined'].includes(typeof options.observe),
    'a function',
    options.observe,
  )
  checkWhole('batchSize', batchSize, 1, fifo ? 10 : 10_000)
  checkWhole('concurrency', concurrency, 1, 1_000)
  checkWindow(window, batchSize, fifo)
  return {
    handler,
    batchSize,
    window,
    concurrency,
    functionTimeout: toMilliseconds(
      'functionTimeout',
      options.functionTimeout ?? FUNCTION_TIMEOUT_MS,
    ),
    partialResponses: reportBatchItemFailures,
    logger: options.logger ?? jsonLogger('WARN'),
    onInvocation: options.onInvocation ?? (() => {}),
    observe: options.observe,
  }
}

function isLogger(value: unknown): boolean {
  const levels = ['debug', 'info', 'warn', 'error']
  return value === undefined || levels.every((level) => hasMethod(value, level))
}

function checkWindow(window: number, batchSize: number, fifo: boolean): void {
  if (fifo && window > 0) {
    throw new ConfigError(`window: expected none, as the queue is FIFO, got ${window} ms`)
  }
  if (window > 300_000) {
    throw new ConfigError(`window: expected at most 300 s, got ${window} ms`)
  }
  if (batchSize > 10 && window < 1_000) {
    throw new ConfigError(
      `window: expected at least 1 s, as batchSize is more than 10 (${batchSize}), got ${window} ms`,
    )
  }
}

/**
 * docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html: six times the function's timeout, plus the window.
 * @returns seconds
 */
export function advisedVisibility({
  functionTimeout,
  window,
}: Pick<ConsumerSettings, 'functionTimeout' | 'window'>): number {
  return Math.ceil((6 * functionTimeout + window) / 1_000)
}

export function warnOfShortVisibility(
  queueArn: string,
  visibilitySeconds: number,
  settings: ConsumerSettings,
): void {
  const { functionTimeout, logger } = settings
  const advised = advisedVisibility(settings)
  if (visibilitySeconds >= advised) return
  const refused = visibilitySeconds * 1_000 < functionTimeout
  logger.warn(
    refused
      ? 'The visibility timeout of the queue is shorter than the function may run: AWS refuses such a mapping.'
      : 'The visibility timeout of the queue is shorter than AWS advises: messages may be redelivered while they are processed.',
    { queueArn, visibilitySeconds, advisedSeconds: advised, functionTimeoutMs: functionTimeout },
  )
}
