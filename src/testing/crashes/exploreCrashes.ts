import type { Context, SQSEvent, SQSRecord } from 'aws-lambda'
import { ConfigError } from '../../errors.ts'
import { payloadText } from '../payloadText.ts'
import { type Choices, walk } from './choices.ts'
import type { Outbound } from '../../queue/messenger.ts'
import { type CrashCloud, cloudOf } from './cloud.ts'
import type { Build, QueueHandler } from './deliver.ts'
import type { Effects } from './effects.ts'
import type { Finding, Trouble } from './judge.ts'
import { type Keys, openLab } from './lab.ts'
import { type Plan, runSchedule, type Schedule } from './runSchedule.ts'
import { enter, type Fault, openWorld, USUAL_FAULTS } from './world.ts'

type Sqs = (event: SQSEvent, context: Context) => Promise<unknown>
/** A handler of SQS events; several, by the names of their queues, the first one first; or any function of one argument. */
export type Explored = Sqs | Readonly<Record<string, Sqs>> | ((...input: never[]) => unknown)

export interface CrashOptions {
  /** Faults in one schedule, 0 to 3. Default 1: each alone, and none. */
  readonly faults?: number
  /** Which may happen. Default: all. */
  readonly only?: readonly Fault[]
  /** Until so many invocations were started, two may run side by side. 1: never. Default 2. */
  readonly together?: number
  /** The handler is a function, called with the input itself until it has answered. Default: it takes SQS events. */
  readonly as?: 'records' | 'function'
  /** More messages on the first queue, behind the first one. */
  readonly also?: readonly unknown[]
  /** Whether systems outside honour idempotency keys; `ignored`: each call has an effect. Default `honoured`. */
  readonly keys?: Keys
  /** Fields of rows that are not compared, such as a random id or the time of the write. Default: none. */
  readonly ignore?: readonly string[]
  /** Schedules at most. Default 20,000. */
  readonly limit?: number
  /** Runs the one schedule that a report names, with all the other options as they were. */
  readonly seed?: string
}

/** How many schedules ended so; all of them 0 is what you want. */
export interface CrashReport extends Readonly<Record<Trouble, number>> {
  readonly schedules: number
  /** False: the limit came first, or enough had failed. */
  readonly complete: boolean
  /** Of the smallest failing schedule: what was wrong, what happened step by step, and the seed that runs it again. */
  readonly finding: Finding | undefined
  readonly trace: readonly string[]
  readonly seed: string | undefined
  /** All of it, for a person. */
  readonly text: string
}

/**
 * Runs your handler under every schedule of so many faults: each call to the store, to a queue and to a system outside is
 * lost, unanswered, throttled, arrives twice, or is the last thing that its invocation does; the message comes again, twice at
 * once, and once more at the end. Time stands still, so thousands of schedules take seconds. What each leaves behind is held
 * against a run in which nothing goes wrong: rows, messages, calls outside.
 * @param build makes the handler from the store and the clients given to it; it is called for each invocation, as a new
 * sandbox would be. @param record a payload for SQS, or the input of the function
 * @throws ConfigError when an option makes no sense
 */
export async function exploreCrashes(
  build: (cloud: CrashCloud) => Explored,
  record: unknown,
  options: CrashOptions = {},
): Promise<CrashReport> {
  check(build, options)
  await loadClients()
  const plan = planOf(build, record, options)
  const { faults = 1, limit = 20_000, only = USUAL_FAULTS, together = 2, seed } = options
  const memory = new Map<string, number>()
  const run = (most: number, side: number, choices: Choices, known: Set<string>, to?: Effects) =>
    runSchedule({ ...plan, together: side }, openWorld(most, only, memory), choices, known, to)
  const { effects } = (await run(0, 1, replaying([]), new Set())) ?? NOTHING
  if (seed !== undefined)
    return replay(seed, (most, choices) => run(most, together, choices, new Set(), effects))

  const tally = openTally()
  let [schedules, complete, after] = [0, true, 0]
  for (let most = 0; most <= faults && tally.first === undefined; most++) {
    const known = new Set<string>()
    const walked = await walk(
      async (choices) => {
        const path: number[] = []
        const ended = await run(most, together, recording(choices, path), known, effects)
        if (ended !== undefined) tally.add(ended, `${most}-${path.join('.')}`)
        if (tally.first !== undefined) after += 1
        return after > MORE ? 'stop' : 'go on'
      },
      limit - schedules,
      'lenient',
    )
    schedules += walked.schedules
    complete = walked.whole
    if (!complete) break
  }
  return reportOf(tally, schedules, complete)
}

/** The framework loads them at the first message: within a schedule that would take time, which stands still. */
async function loadClients(): Promise<void> {
  // oxlint-disable-next-line eslint/no-restricted-imports -- no client is made
  await import('@aws-sdk/client-sqs')
  // An optional package: whoever does not have it publishes nothing.
  // oxlint-disable-next-line eslint/no-restricted-imports -- no client is made
  await import('@aws-sdk/client-sns').catch(() => {})
}

/** Schedules that are looked at after the first one that failed: one of them may be smaller. */
const MORE = 300

const NOTHING: Pick<Schedule, 'effects'> = {
  effects: { counts: new Map(), rows: new Map(), held: new Set(), clashes: [], told: false },
}

async function replay(
  seed: string,
  run: (faults: number, choices: Choices) => Promise<Schedule | undefined>,
): Promise<CrashReport> {
  const [most = '', path = ''] = seed.split('-')
  const taken = path === '' ? [] : path.split('.').map(Number)
  const tally = openTally()
  const ended = await run(Number(most), replaying(taken))
  if (ended !== undefined) tally.add(ended, seed)
  return reportOf(tally, 1, true)
}

/** As written down; past its end whatever goes on as it should. */
function replaying(taken: readonly number[]): Choices {
  let next = 0
  return { isNew: () => false, pick: (of) => Math.min(taken[next++] ?? 0, of - 1) }
}

function recording(choices: Choices, path: number[]): Choices {
  return {
    isNew: () => choices.isNew(),
    pick: (of) => {
      const taken = choices.pick(of)
      path.push(taken)
      return taken
    },
  }
}

interface First {
  readonly finding: Finding
  readonly trace: readonly string[]
  readonly seed: string
}

interface Tally {
  readonly counts: Record<Trouble, number>
  first: First | undefined
  add(ended: Schedule, seed: string): void
}

function openTally(): Tally {
  const tally: Tally = {
    counts: { lost: 0, doubled: 0, stale: 0, stuck: 0 },
    first: undefined,
    add({ findings, log }, seed) {
      for (const trouble of new Set(findings.map((each) => each.trouble)))
        tally.counts[trouble] += 1
      const [finding] = findings
      if (finding === undefined) return
      if (tally.first === undefined || log.length < tally.first.trace.length)
        tally.first = { finding, trace: [...log], seed }
    },
  }
  return tally
}

function reportOf({ counts, first }: Tally, schedules: number, complete: boolean): CrashReport {
  const text =
    first === undefined
      ? `${schedules} schedules${complete ? '' : ', and there are more'}: nothing lost, doubled, stale or stuck`
      : [
          `${first.finding.trouble}: ${first.finding.what}`,
          ...first.trace.map((line) => `    ${line}`),
          `Once more: seed '${first.seed}'`,
        ].join('\n')
  const { finding, trace = [], seed } = first ?? {}
  return { ...counts, schedules, complete, finding, trace, seed, text }
}

const FIRST_QUEUE = 'records'

function planOf(
  build: (cloud: CrashCloud) => Explored,
  record: unknown,
  { as = 'records', also = [], keys = 'honoured', ignore = [] }: CrashOptions,
): Omit<Plan, 'together'> {
  const handlersOf: Build = (cloud) => {
    const explored = build(cloud)
    if (typeof explored !== 'function') return new Map(Object.entries(explored))
    const handler = as === 'records' ? (explored as Sqs) : calling(explored as never)
    return new Map([[FIRST_QUEUE, handler]])
  }
  const queues = [...handlersOf(idleCloud()).keys()]
  const queue = queues[0] ?? FIRST_QUEUE
  const messages = [record, ...also].map((each) => ({ queue, message: messageOf(each) }))
  return { build: handlersOf, queues, messages, terms: { keys, ignore } }
}

function idleCloud(): CrashCloud {
  const world = openWorld(0, [], new Map())
  return cloudOf(openLab(world), enter(world, 0))
}

/** A record as it is, attributes too; anything else becomes a body. */
function messageOf(record: unknown): Outbound {
  if (!isRecord(record)) return { body: payloadText(record), attributes: {} }
  const attributes = Object.entries(record.messageAttributes).map(
    ([name, { stringValue = '' }]) =>
      [name, { DataType: 'String', StringValue: stringValue }] as const,
  )
  return { body: record.body, attributes: Object.fromEntries(attributes) }
}

function isRecord(value: unknown): value is SQSRecord {
  if (typeof value !== 'object' || value === null) return false
  return 'eventSource' in value && value.eventSource === 'aws:sqs' && 'body' in value
}

function calling(fn: (input: unknown, context: Context) => unknown): QueueHandler {
  return async ({ Records: [record] }, context) => {
    await fn(JSON.parse(record?.body ?? 'null'), context)
  }
}

function check(
  build: unknown,
  { faults = 1, together = 2, limit = 1, as, keys, ignore = [], seed }: CrashOptions,
): void {
  expect('the first argument', typeof build === 'function', 'a function (cloud) => handler', build)
  expect('faults', isWhole(faults, 0, 3), 'a whole number from 0 to 3', faults)
  expect('together', isWhole(together, 1, 4), 'a whole number from 1 to 4', together)
  expect('limit', isWhole(limit, 1, 1e9), 'a whole number, 1 or more', limit)
  expect('as', [undefined, 'records', 'function'].includes(as), "'records' or 'function'", as)
  expect('keys', [undefined, 'honoured', 'ignored'].includes(keys), "'honoured' or 'ignored'", keys)
  expect('ignore', Array.isArray(ignore), 'a list of names of fields', ignore)
  const isSeed = seed === undefined || /^[0-3]-(?:\d+(?:\.\d+)*)?$/.test(seed)
  expect('seed', isSeed, 'what a report gave as its seed', seed)
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
