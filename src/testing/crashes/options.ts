import type { Context, SQSEvent } from 'aws-lambda'
import { checkOptions, matching, oneOf, whole, wrongOption } from '../../options.ts'
import type { AnswersTo } from './schedule/answerEvents.ts'
import type { CrashCloud } from './cloud/cloud.ts'
import type { KeyPolicy } from './simulation/scheduleContext.ts'
import type { CrashFault } from './simulation/crashFaults.ts'

export type Sqs = (event: SQSEvent, context: Context) => Promise<unknown>
/**
 * A handler of SQS events; several, by the names of their queues, the first one first; or any function of one argument.
 * A queue whose name ends in `.fifo` is a FIFO queue.
 */
export type Explored = Sqs | Readonly<Record<string, Sqs>> | ((...input: never[]) => unknown)

export interface CrashOptions {
  /** Faults in one schedule, 0 to 3. Default 1: each alone, and none. */
  readonly faults?: number
  /**
   * Which may happen. Default: all but two that go on for hours and take many schedules: `table throttled`, and `killed each
   * time`, after which only what gives a message up comes to rest.
   */
  readonly only?: readonly CrashFault[]
  /** Until so many invocations were started, they may run side by side. 1: never; at most 4. Default 2. */
  readonly together?: number
  /** The handler is a function, called with the input itself until it has answered. Default: it takes SQS events. */
  readonly as?: 'records' | 'function'
  /** Messages in one invocation, 1 to 10; what the answer names comes again, alone or with others. Default 1. */
  readonly batch?: number
  /** More messages, behind the first one: on the first queue, or by the names of their queues. */
  readonly also?: readonly unknown[] | Readonly<Record<string, readonly unknown[]>>
  /**
   * Systems outside that answer by messages, by the queue or topic that asks them: `{ airline: ({ id }) => ({ found: { id } }) }`
   * answers each message to `airline` with one to `found`: before its sender has ended, after its time is up, or twice.
   */
  readonly answers?: Readonly<Record<string, AnswersTo>>
  /** Whether systems outside honour idempotency keys; `ignored`: each call has an effect. Default `honoured`. */
  readonly keys?: KeyPolicy
  /**
   * When all is over, dead letters are sent back, and everything must have happened once all the same. A function makes the
   * handlers from then on: the deployment that puts right what was wrong with the ones before.
   */
  readonly redrive?: boolean | ((cloud: CrashCloud) => Explored)
  /** Fields of rows and payloads that are not compared, such as a random id or the time of the write. Default: none. */
  readonly ignore?: readonly string[]
  /** The most schedules to run. Default 20,000. */
  readonly limit?: number
  /** Runs the one schedule that a report names, with all the other options as they were. */
  readonly seed?: string
}

/** @throws ConfigError naming the option, what was expected and what came */
export function checkCrashOptions(build: unknown, options: CrashOptions): void {
  if (typeof build !== 'function') {
    throw wrongOption(WHO, 'the first argument', 'a function (cloud) => handler', build)
  }
  const { faults, together, batch, limit, as, keys, ignore, redrive, seed } = options
  const given = { faults, together, batch, limit, as, keys, ignore, redrive, seed }
  checkOptions(WHO, given, {
    faults: whole(0, 3),
    together: whole(1, 4),
    batch: whole(1, as === 'function' ? 1 : 10),
    limit: { expected: 'a whole number, 1 or more', isRight: whole(1, 1e9).isRight },
    as: oneOf('records', 'function'),
    keys: oneOf('honoured', 'ignored'),
    ignore: { expected: 'a list of names of fields', isRight: Array.isArray },
    redrive: {
      expected: 'true, false or a function (cloud) => handler',
      isRight: (value) => typeof value === 'boolean' || typeof value === 'function',
    },
    seed: matching(/^[0-3]-(?:\d+(?:\.\d+)*)?$/, 'the seed of a report'),
  })
  const { also = [], answers = {} } = options
  checkEach('also', Array.isArray(also) ? {} : also, Array.isArray, 'a list of messages')
  checkEach('answers', answers, isFunction, 'a function (message) => ({ queue: answer })')
}

const WHO = 'exploreCrashes'

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

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
