import { checkOptions, matching, oneOf, whole, wrongOption } from '../../library/base/options.ts'
import type { MemoryHandler } from '../queues/deliverNext.ts'
import type { AnswersTo } from './schedule/nextEvents.ts'
import type { CrashCloud } from './cloud/cloud.ts'
import type { KeyPolicy } from './simulation/scheduleContext.ts'
import type { MemoryStoreOptions } from '../../library/adapters/store/memory/memoryStore.ts'
import type { CrashFault } from './simulation/crashFaults.ts'

/**
 * What `exploreCrashes` can run: a handler of SQS events; several handlers by the names of their queues, where the first one
 * gets the record and the others what is sent to a queue, topic or bus of their name; or, with `as: 'function'` or `as: 'invocation'`, a function of one argument and a Lambda context. A queue
 * whose name ends in `.fifo` is a FIFO queue.
 */
export type Explored =
  | MemoryHandler
  | Readonly<Record<string, MemoryHandler>>
  | ((...input: never[]) => unknown)

/**
 * What `exploreCrashes` explores, and how far.
 * @example
 * const options: CrashOptions = { faults: 2, together: 1, also: [{ orderId: 'o-2' }], ignore: ['updatedAt'] }
 */
export interface CrashOptions {
  /** The most faults in one schedule, 0 to 3. Default 1. */
  readonly faults?: number
  /**
   * The faults that may happen. Default: all but `table throttled` and `killed each time`, which last for hours and need many
   * schedules (only a consumer that gives a message up comes to rest after the latter), and `killed before`, which leads to
   * no other states than `killed on the wire`.
   */
  readonly only?: readonly CrashFault[]
  /** Invocations may run side by side until this many were started, 1 to 4; with 1 they never do. Default 2. */
  readonly together?: number
  /**
   * `function`: the handler takes the input itself, and its caller retries until it answers, each time with a new Lambda request.
   * `invocation`: Lambda invokes it asynchronously: it delivers the event again a minute later, under the same request id, when an
   * attempt failed or was killed, and perhaps at once without a failure; in the end it gives up. Default `records`.
   */
  readonly as?: 'records' | 'function' | 'invocation'
  /** The most messages in one invocation, 1 to 10. Failed messages are redelivered, alone or with others. Default 1. */
  readonly batch?: number
  /** More messages after the first one: a list for the first queue, or lists by the names of their queues. */
  readonly also?: readonly unknown[] | Readonly<Record<string, readonly unknown[]>>
  /**
   * Outside systems that answer by messages, by the queue or topic of the request. `{ airline: ({ id }) => ({ found: { id } }) }`
   * answers each message to `airline` with a message to `found`: before its sender has ended, after its timeout, or twice.
   */
  readonly answers?: Readonly<Record<string, AnswersTo>>
  /** Whether outside systems honour idempotency keys. With `ignored` each call has an effect. Default `honoured`. */
  readonly keys?: KeyPolicy
  /**
   * At the end, dead letters are redriven, and then everything must have happened once. A function makes the handlers that
   * process them: the deployment that fixes the cause. Default false.
   */
  readonly redrive?: boolean | ((cloud: CrashCloud) => Explored)
  /**
   * How messages may end although no fault happens, by what the reason begins with. Any other end than completion is refused, and so
   * is one that is named here and does not happen. Default: none, every message completes.
   * @example ['rejected', 'terminal: Error: the card is stolen']
   */
  readonly expectedFailures?: readonly string[]
  /** Fields of rows and payloads that are not compared, such as a random id or a time. Default: none. */
  readonly ignore?: readonly string[]
  /**
   * Rows that the tables have at the start of each schedule, keys included, as for `memoryStore`. Default: none.
   * @example { stock: [{ sku: 'a', available: 3 }] }
   */
  readonly rows?: MemoryStoreOptions['rows']
  /**
   * When each schedule begins, epoch milliseconds. Dates of the record are compared with this clock: choose a time after them.
   * Default `Date.UTC(2026, 0, 1)`: a fixed time, so that a seed is valid on every day.
   */
  readonly startAt?: number
  /** The most schedules to run; each number of faults, of one invocation and of several, has an equal share. Default 40,000. */
  readonly limit?: number
  /** Runs only the schedule with this seed, from a report. All other options must be the same. */
  readonly seed?: string
}

/** @throws ConfigError naming the option, the expected values and the given one */
export function checkCrashOptions(build: unknown, options: CrashOptions): void {
  if (typeof build !== 'function') {
    throw wrongOption(WHO, 'the first argument', 'a function (cloud) => handler', build)
  }
  const { faults, together, batch, limit, as, keys, ignore, redrive, startAt, seed } = options
  const { expectedFailures } = options
  const given = {
    faults,
    together,
    batch,
    limit,
    as,
    keys,
    ignore,
    redrive,
    startAt,
    seed,
    expectedFailures,
  }
  checkOptions(WHO, given, {
    faults: whole(0, 3),
    together: whole(1, 4),
    batch: whole(1, as === 'function' || as === 'invocation' ? 1 : 10),
    limit: { expected: 'a whole number, 1 or more', isRight: whole(1, 1e9).isRight },
    as: oneOf('records', 'function', 'invocation'),
    keys: oneOf('honoured', 'ignored'),
    ignore: { expected: 'a list of names of fields', isRight: Array.isArray },
    redrive: {
      expected: 'true, false or a function (cloud) => handler',
      isRight: (value) => typeof value === 'boolean' || typeof value === 'function',
    },
    expectedFailures: {
      expected: "a list of what reasons begin with, such as ['rejected']",
      isRight: isListOfTexts,
    },
    startAt: whole(0, 8.64e15),
    seed: matching(/^[0-3](?:@1)?-(?:\d+(?:\.\d+)*)?$/, 'the seed of a report'),
  })
  const { also = [], answers = {} } = options
  checkEach('also', Array.isArray(also) ? {} : also, Array.isArray, 'a list of messages')
  const isFunction = (value: unknown): boolean => typeof value === 'function'
  checkEach('answers', answers, isFunction, 'a function (message) => ({ queue: answer })')
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '')
}

const WHO = 'exploreCrashes'

function checkEach(
  option: string,
  byQueue: object,
  isRight: (value: unknown) => boolean,
  expected: string,
): void {
  for (const [queue, value] of Object.entries(byQueue)) {
    if (!isRight(value)) throw wrongOption(WHO, `${option}.${queue}`, expected, value)
  }
}
