import {
  aLogger,
  anything,
  type Check,
  type Checks,
  checkOptions,
  required,
  toMilliseconds,
  trueOrFalse,
  whole,
} from '../../../library/base/options.ts'
import type { Duration } from '../../../library/base/time.ts'
import { ConfigError } from '../../../library/base/errors.ts'
import { jsonLogger, type Logger } from '../../../library/base/logger.ts'
import { aText } from '../../queues/checkQueues.ts'
import { isFifoName } from '../../queues/description.ts'
import type { QueueHandler } from './invoke.ts'

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
}

export const FUNCTION_TIMEOUT_MS = 30_000

const someFunction: Check = {
  expected: 'a function',
  isRight: (value) => typeof value === 'function',
}
const CONSUMER: Checks<ConsumerOptions> = {
  handler: required(someFunction),
  batchSize: whole(1, 10_000),
  window: anything,
  concurrency: whole(1, 1_000),
  functionTimeout: anything,
  functionName: aText,
  reportBatchItemFailures: trueOrFalse,
  logger: aLogger,
}

/**
 * @param others the options of `who` beside those
 * @throws ConfigError where AWS refuses the mapping: docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html
 */
export function checkConsumerOptions(
  who: string,
  options: ConsumerOptions & { readonly queue?: string; readonly queueUrl?: string },
  others: Readonly<Record<string, Check>>,
): ConsumerSettings {
  checkOptions(who, options, { ...CONSUMER, ...others })
  const { handler, batchSize = 10, concurrency = 5, reportBatchItemFailures = true } = options
  const { window: within = 0, functionTimeout = FUNCTION_TIMEOUT_MS } = options
  const window = toMilliseconds('window', within)
  const isFifo = isFifoName(options.queueUrl ?? options.queue ?? '')
  if (isFifo) checkOptions(who, { batchSize }, { batchSize: whole(1, 10) })
  checkWindow(window, batchSize, isFifo)
  return {
    handler,
    batchSize,
    window,
    concurrency,
    functionTimeout: toMilliseconds('functionTimeout', functionTimeout),
    partialResponses: reportBatchItemFailures,
    logger: options.logger ?? jsonLogger('WARN'),
  }
}

function checkWindow(window: number, batchSize: number, fifo: boolean): void {
  const tooShort = `at least 1 s, as batchSize is more than 10 (${batchSize})`
  const rules = [
    { isBroken: fifo && window > 0, expected: 'none, as the queue is FIFO' },
    { isBroken: window > 300_000, expected: 'at most 300 s' },
    { isBroken: batchSize > 10 && window < 1_000, expected: tooShort },
  ]
  const broken = rules.find(({ isBroken }) => isBroken)
  if (broken === undefined) return
  throw new ConfigError(`window: expected ${broken.expected}, got ${window} ms`)
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

/** Running totals of a mapping: invocations, deliveries and injected faults. */
export interface Counts {
  invocations: number
  /** Records passed to the handler, with duplicates and redeliveries. */
  deliveries: number
  /** Records that were delivered twice, at the same time or later. */
  duplicates: number
  kills: number
  lostAnswers: number
  throttles: number
  /** Calls that a throttled table refused. */
  tableThrottles: number
  /** Requests that were never answered. */
  hangs: number
  /** Calls that met a transaction on one of their items. */
  conflicts: number
  /** Reads that showed an older version of an item. */
  staleReads: number
  timeouts: number
  /** Invocations that threw, died or timed out. */
  failedInvocations: number
  /** Messages that SQS deleted. */
  deleted: number
}

export function noCounts(): Counts {
  return {
    invocations: 0,
    deliveries: 0,
    duplicates: 0,
    kills: 0,
    lostAnswers: 0,
    throttles: 0,
    tableThrottles: 0,
    hangs: 0,
    conflicts: 0,
    staleReads: 0,
    timeouts: 0,
    failedInvocations: 0,
    deleted: 0,
  }
}
