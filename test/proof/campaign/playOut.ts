import { systemClock } from '../../../src/library/base/clock.ts'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import { type Faults, type LocalCloud, mapQueue } from '../../../src/testing/local/index.ts'
import { delivered } from './delivered.ts'
import type { Overtime } from './overtime.ts'
import { PRESENT, type Version } from './versions/version.ts'
import { silent } from './silent.ts'

export interface Play {
  readonly cloud: LocalCloud
  /** By queue. */
  readonly handlers: Readonly<Record<string, SqsHandler>>
  readonly faults: Faults
  readonly seed: number
  /** Invocations of one queue at once. Default 4. */
  readonly concurrency?: number
  /** Of the functions, seconds. Default 2. */
  readonly timeout?: number | undefined
  /** Records of one invocation at most; more than ten are gathered for a second. Default 10. */
  readonly batchSize?: number | undefined
  /** The mappings lack ReportBatchItemFailures. Default false. */
  readonly wholeBatches?: boolean
  /** How all messages come again: by default sent, with what they carry; `brought` also those without an identity of their own. */
  readonly again?: 'sent' | 'brought'
  /** One after the other, each once the queues have run dry, before everything is redelivered. */
  readonly between?: readonly (() => Promise<void>)[] | undefined
  /** Each sweeps at the end. Default: the present one, twice. */
  readonly versions?: readonly Version[] | undefined
  /** Attempts run on after their time. Default: their code ends with them. */
  readonly overtime?: Overtime | undefined
  /** It is given up the later, the more there are. */
  readonly requests: number
  send(): Promise<void>
}

export interface Played {
  readonly deliveries: number
  /** Messages that were redelivered after the end. */
  readonly again: number
  /** What the sweeper had to do, or found overdue, two days later. */
  readonly swept: number
  readonly seconds: number
  /** Invocations that were cut off at their time, and whose code ran on. Those of Lineclear's consumers answer before it. */
  readonly ranOn?: number
  /** Faults that happened. */
  readonly faults: Readonly<Record<string, number>>
}

/** Sends, lets all queues run dry, redelivers every message, and sweeps twice. */
export async function playOut(play: Play): Promise<Played> {
  const { cloud, handlers, faults, seed, concurrency = 4, timeout = 2 } = play
  const { batchSize = 10, overtime, wholeBatches = false } = play
  const patience = 240_000 + play.requests * 2_000
  const began = Date.now()
  const messages = delivered()
  const queues = Object.keys(handlers)
  const mappings = Object.entries(handlers).map(([queue, handler], nth) =>
    mapQueue({
      cloud,
      queue,
      handler: messages.keep(queue, handler),
      concurrency,
      functionTimeout: `${timeout}s`,
      managed: overtime !== undefined,
      batchSize,
      reportBatchItemFailures: !wholeBatches,
      ...(batchSize > 10 && { window: '1s' }),
      faults: { ...faults, seed: seed * 10 + nth + 1 },
      logger: silent,
    }),
  )
  await play.send()
  await quiet(cloud, queues, patience)
  await overtime?.over()
  // Also the code of those that have timed out.
  if (overtime !== undefined) await Promise.all(mappings.map((each) => each.drained()))
  for (const act of play.between ?? []) {
    await act()
    await quiet(cloud, queues, patience)
  }
  const again = await (play.again === 'brought' ? messages.bringAgain() : messages.sendAgain(cloud))
  await quiet(cloud, queues, patience)
  await Promise.all(mappings.map((mapping) => mapping.stop()))
  const [first = PRESENT, second = first] = play.versions ?? []
  const swept = (await sweep(cloud, first)) + (await sweep(cloud, second))
  const sum = (of: (counts: (typeof mappings)[number]['counts']) => number): number =>
    mappings.reduce((total, { counts }) => total + of(counts), 0)
  return {
    deliveries: sum(({ deliveries }) => deliveries),
    again,
    swept,
    ...(overtime !== undefined && { ranOn: sum(({ timeouts }) => timeouts) }),
    seconds: (Date.now() - began) / 1_000,
    faults: {
      duplicates: sum(({ duplicates }) => duplicates),
      kills: sum(({ kills }) => kills),
      lostAnswers: sum(({ lostAnswers }) => lostAnswers),
      throttles: sum(({ throttles }) => throttles),
      tableThrottles: sum(({ tableThrottles }) => tableThrottles),
      hangs: sum(({ hangs }) => hangs),
      conflicts: sum(({ conflicts }) => conflicts),
      staleReads: sum(({ staleReads }) => staleReads),
      timeouts: sum(({ timeouts }) => timeouts),
    },
  }
}

const TWO_DAYS_MS = 2 * 86_400_000

/** By then everything left is overdue. */
async function sweep(cloud: LocalCloud, version: Version): Promise<number> {
  const clock = { ...systemClock, now: () => systemClock.now() + TWO_DAYS_MS }
  const sweepAll = version.sweeperOn(cloud, { clock })
  const { freed, queued, reminded, overdue, failed } = await sweepAll()
  return freed + queued + reminded + overdue + failed
}

const QUIET_MS = 1_500

/** Until nothing has been in any queue for a while: each stage feeds another one. */
async function quiet(
  cloud: LocalCloud,
  queues: readonly string[],
  patience: number,
): Promise<void> {
  const until = Date.now() + patience
  for (let since = Date.now(); Date.now() - since < QUIET_MS;) {
    await systemClock.sleep(50)
    const isBusy = queues.some((queue) => {
      const { ready, delayed, inFlight } = cloud.inspectQueue(queue)
      return ready.length + delayed.length + inFlight.length > 0
    })
    if (isBusy) since = Date.now()
    if (Date.now() > until) break
  }
}
