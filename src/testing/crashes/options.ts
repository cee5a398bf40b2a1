import type { Context, SQSEvent } from 'aws-lambda'
import { ConfigError } from '../../errors.ts'
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
  const {
    faults = 1,
    together = 2,
    batch = 1,
    limit = 1,
    as,
    keys,
    ignore = [],
    seed,
    redrive = false,
  } = options
  expect('the first argument', typeof build === 'function', 'a function (cloud) => handler', build)
  expect('faults', isWhole(faults, 0, 3), 'a whole number from 0 to 3', faults)
  expect('together', isWhole(together, 1, 4), 'a whole number from 1 to 4', together)
  const most = as === 'function' ? 1 : 10
  expect('batch', isWhole(batch, 1, most), `a whole number from 1 to ${most}`, batch)
  expect('limit', isWhole(limit, 1, 1e9), 'a whole number, 1 or more', limit)
  expect('as', [undefined, 'records', 'function'].includes(as), "'records' or 'function'", as)
  expect('keys', [undefined, 'honoured', 'ignored'].includes(keys), "'honoured' or 'ignored'", keys)
  expect('ignore', Array.isArray(ignore), 'a list of names of fields', ignore)
  for (const [queue, messages] of Object.entries(options.also ?? []))
    if (!Array.isArray(options.also))
      expect(`also.${queue}`, Array.isArray(messages), 'a list of messages', messages)
  for (const [queue, answers] of Object.entries(options.answers ?? {}))
    expect(
      `answers.${queue}`,
      typeof answers === 'function',
      'a function (message) => ({ queue: answer })',
      answers,
    )
  const mayRedrive = typeof redrive === 'boolean' || typeof redrive === 'function'
  expect('redrive', mayRedrive, 'true, false or a function (cloud) => handler', redrive)
  const isSeed = seed === undefined || /^[0-3]-(?:\d+(?:\.\d+)*)?$/.test(seed)
  expect('seed', isSeed, 'the seed of a report', seed)
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}

function expect(option: string, ok: boolean, expected: string, got: unknown): void {
  if (ok) return
  throw new ConfigError(
    `exploreCrashes: ${option}: expected ${expected}; got ${JSON.stringify(got) ?? typeof got}`,
  )
}
