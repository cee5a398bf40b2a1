import { ConfigError } from '../../library/base/errors.ts'
import { loadAll } from './runtime/loadAll.ts'
import { replaceBuiltins } from './runtime/runtimeClockAndRandom.ts'
import { type Branch, type Choices, recording, replaying, walk } from './schedule/choices.ts'
import type { CrashCloud } from './cloud/cloud.ts'
import { checkCrashOptions, type CrashOptions, type Explored } from './options.ts'
import { expectedOf } from './expected.ts'
import { refuseFailing } from './refuseFailing.ts'
import { explorationPlan } from './explorationPlan.ts'
import { type CrashReport, openScheduleTally, reportOf } from './report.ts'
import { type ExplorationPlan, runSchedule, type Schedule } from './schedule/runSchedule.ts'
import { openSimulation } from './simulation/simulation.ts'
import { USUAL_FAULTS } from './simulation/crashFaults.ts'

/**
 * Proves that your handler is crash-safe: runs it under every schedule with up to `faults` faults and compares what each
 * schedule leaves behind (rows, messages and their order, outside calls) with a run without faults. A schedule decides for each
 * call to the store, to a queue and to an outside system whether the request or its answer is lost, throttled or repeated, or
 * whether the invocation dies there, and when messages are delivered: redelivered, twice at the same time, and again after the
 * end. Time is simulated, so thousands of schedules take seconds.
 * @param build makes the handler from the store and the clients it gets. Called for each invocation, as a new sandbox would do
 * @param record the payload of the message, a whole record (`sqsRecord`), or the input of the function
 * @throws ConfigError on a wrong option, when a message does not complete even without faults (unless `expectedFailures` names its
 * end) or leaves nothing to compare, and when no schedule has run one of several handlers
 * @example
 * const report = await exploreCrashes(
 *   ({ store, clients, clock, logger, outside }) =>
 *     recordHandler({ name: 'orders', store, clients, clock, logger }, async (_order, ctx) => {
 *       await ctx.call('charge', (key) => outside('charge', key))
 *     }),
 *   { orderId: 'o-1' },
 * )
 * expect(report, report.text).toMatchObject({ lost: 0, doubled: 0, stale: 0, stuck: 0, complete: true })
 */
export async function exploreCrashes(
  build: (cloud: CrashCloud) => Explored,
  record: unknown,
  options: CrashOptions = {},
): Promise<CrashReport> {
  checkCrashOptions(build, options)
  await loadAll()
  const restore = replaceBuiltins()
  try {
    return await explore(explorationPlan(build, record, options), options)
  } finally {
    restore()
  }
}

/** A queue whose name differs from that of the queue, topic or bus that is sent to gets nothing, and all seems right. */
function refuseUnreached(unreached: ReadonlySet<string>): void {
  if (unreached.size === 0) return
  throw new ConfigError(
    `exploreCrashes: no schedule has run the handler of ${[...unreached].join(', ')}: nothing was sent to a queue, topic or bus of this name. Give it the name that is sent to, or a message by \`also\``,
  )
}

/** Up to `faults` faults, with so many invocations side by side. */
interface Round {
  readonly faults: number
  readonly together: number
}

type Run = (round: Round, choices: Choices, known: Set<string>) => Promise<Schedule | undefined>

async function explore(plan: ExplorationPlan, options: CrashOptions): Promise<CrashReport> {
  const { faults = 1, limit = 40_000, only = USUAL_FAULTS, seed } = options
  const memory = new Map<string, number>()
  const { calm, right: expected } = await expectedOf(plan, memory)
  refuseFailing(calm, options.expectedFailures ?? [])
  const run: Run = (round, choices, known) => {
    const simulation = openSimulation(round.faults, only, memory, plan.startAt)
    return runSchedule({ ...plan, together: round.together }, simulation, choices, known, expected)
  }
  if (seed !== undefined) return replay(run, seed, plan.together)
  const report = await walkAll(run, roundsOf(faults, plan.together), limit)
  if (report.finding === undefined && report.complete) refuseUnreached(plan.unreached)
  return report
}

/** What one fault shows while one invocation runs comes first: most mistakes show there, within a second. */
function roundsOf(faults: number, together: number): Round[] {
  const alone = together === 1 ? [1] : [1, together]
  const most = Array.from({ length: faults + 1 }, (_, each) => each)
  const groups = [most.slice(0, 2), ...most.slice(2).map((each) => [each])]
  return groups.flatMap((group) =>
    alone.flatMap((side) => group.map((each) => ({ faults: each, together: side }))),
  )
}

/** How many schedules run after the first failure, in search of a shorter one. A long schedule counts for several. */
const MORE = 300
const STEPS = 100

/**
 * Each round gets an equal share of `limit`, and what others leave of theirs: where one invocation alone has more schedules than
 * that, two side by side are explored too.
 */
async function walkAll(run: Run, rounds: readonly Round[], limit: number): Promise<CrashReport> {
  const tally = openScheduleTally()
  let [schedules, after] = [0, 0]
  const together = Math.max(...rounds.map((round) => round.together))
  const open = new Set(
    rounds.map((round) => {
      const seed = `${round.faults}${round.together < together ? ALONE : ''}-`
      return { round, seed, known: new Set<string>(), path: new Array<Branch>() }
    }),
  )
  for (const share of [Math.ceil(limit / rounds.length), limit]) {
    for (const each of open) {
      const most = Math.min(share, limit - schedules)
      if (tally.first !== undefined || most === 0) break
      const walked = await walk(
        async (choices) => {
          const path: number[] = []
          const ended = await run(each.round, recording(choices, path), each.known)
          if (ended !== undefined) tally.add(ended, each.seed + path.join('.'))
          if (tally.first !== undefined) after += Math.ceil((ended?.log.length ?? 0) / STEPS) || 1
          return after > MORE ? 'stop' : 'go on'
        },
        most,
        'lenient',
        each.path,
      )
      schedules += walked.schedules
      if (walked.whole) open.delete(each)
    }
  }
  return reportOf(tally, schedules, open.size === 0)
}

/** In a seed: one invocation at a time, although more were asked for. */
const ALONE = '@1'

async function replay(run: Run, seed: string, together: number): Promise<CrashReport> {
  const [most = '', path = ''] = seed.split('-')
  const taken = path === '' ? [] : path.split('.').map(Number)
  const tally = openScheduleTally()
  const round = { faults: Number.parseInt(most, 10), together: most.endsWith(ALONE) ? 1 : together }
  const ended = await run(round, replaying(taken), new Set())
  if (ended !== undefined) tally.add(ended, seed)
  return reportOf(tally, 1, true)
}
