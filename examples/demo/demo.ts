import { jsonLogger, type Logger, type Store } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { startLocalCloud, type Counts, type LocalCloud } from 'lineclear/local'
import type { ReconcileReport } from '../../src/tools/operator/reconcile/report.ts'
import { auditOf } from './audit.ts'
import { planCalls, type Call } from './calls.ts'
import { DEMO_CLOUD, type BothSides } from './demoCloud.ts'
import { dueOf } from './due.ts'
import { faultsOf, type FaultName } from './faults.ts'
import { type LateBooks, startLate } from './late/late.ts'
import { lineclearLedger } from './lineclearLedger.ts'
import { lineclearReceipts } from './lineclearReceipts.ts'
import { naiveLedger } from './naiveLedger.ts'
import { naiveReceipts } from './naiveReceipts.ts'
import type { SideState, Watch } from './progress.ts'
import { readBooks } from './readBooks.ts'
import { reconcile, type Books } from './reconcile.ts'
import { sendCalls } from './sendCalls.ts'
import { startSide, type Side } from './side.ts'
import { deleteTables, TABLES } from './tables.ts'

export interface Plan {
  readonly bodies: readonly string[]
  readonly faults: readonly FaultName[]
  readonly seed: number
  readonly logger: Logger
}

/** At the end, while the cloud is still up. */
export type Keep = (cloud: LocalCloud, results: Results) => Promise<void>

export interface Results extends BothSides<Result> {
  /** undefined: no attempt was late. */
  readonly late: LateBooks | undefined
}

export interface Result {
  readonly messages: number
  readonly calls: number
  readonly counts: Counts
  readonly books: Books
  /** The check of the ledger that an operator would make. */
  readonly audit: ReconcileReport
}

/**
 * Sends the same calls to both sides of one local cloud, waits until all is quiet and reads the books.
 * @param begin called before anything is sent
 * @throws the reason of `signal`; Error when messages are left after a long time
 */
export async function runDemo(
  plan: Plan,
  watch: Watch,
  signal: AbortSignal,
  keep: Keep,
  begin: (cloud: LocalCloud) => Promise<void> = async () => {},
): Promise<Results> {
  await using cloud = await startLocalCloud(DEMO_CLOUD, { logger: jsonLogger('WARN') })
  cloud.onStop(() => deleteTables(cloud))
  await begin(cloud)
  const calls = planCalls(plan.bodies, plan.faults, plan.seed)
  const { naive, lineclear, late } = await play(cloud, plan, calls, watch, signal)
  const resultOf = async ({ name, counts }: Side): Promise<Result> => ({
    messages: plan.bodies.length,
    calls: calls.length,
    counts: counts(),
    books: reconcile(dueOf(plan.bodies), await readBooks(cloud, name)),
    audit: await auditOf(cloud, name),
  })
  const results = { naive: await resultOf(naive), lineclear: await resultOf(lineclear), late }
  await keep(cloud, results)
  return results
}

/** Until both sides have nothing left to do. */
async function play(
  cloud: LocalCloud,
  plan: Plan,
  calls: readonly Call[],
  watch: Watch,
  signal: AbortSignal,
): Promise<BothSides<Side> & Pick<Results, 'late'>> {
  const store = dynamoDbStore({
    tableName: TABLES.lineclear.tokens,
    client: cloud.dynamodb,
    logger: plan.logger,
  })
  const { naive, lineclear } = startSides(cloud, store, plan)
  const late = plan.faults.includes('late') ? await startLate(cloud, store, plan.logger) : undefined
  let sent = 0
  const stateOf = (side: Side): SideState => ({
    done: Math.max(sent - side.left(), 0),
    counts: side.counts(),
  })
  const stopWatching = watch(() => ({
    calls: calls.length,
    naive: stateOf(naive),
    lineclear: stateOf(lineclear),
  }))
  const work = async (): Promise<LateBooks | undefined> => {
    await sendCalls(cloud, calls, () => (sent += 1), signal)
    await Promise.all([naive.finished(longest(sent)), lineclear.finished(longest(sent))])
    return late?.finished(longest(sent))
  }
  try {
    return { naive, lineclear, late: await Promise.race([work(), interrupted(signal)]) }
  } finally {
    stopWatching()
    await Promise.all([naive.stop(), lineclear.stop(), late?.stop()])
  }
}

function startSides(
  cloud: LocalCloud,
  store: Store,
  { faults, seed, logger }: Plan,
): BothSides<Side> {
  const common = { cloud, logger, faults: faultsOf(faults, seed) }
  return {
    naive: startSide({
      ...common,
      name: 'naive',
      callbacks: naiveLedger(cloud),
      receipts: naiveReceipts(cloud),
    }),
    lineclear: startSide({
      ...common,
      name: 'lineclear',
      callbacks: lineclearLedger(cloud, store, logger),
      receipts: lineclearReceipts(cloud, store, logger),
    }),
  }
}

/** Milliseconds until a run counts as stuck: many kills in a row, and a slow machine. */
function longest(calls: number): number {
  return 180_000 + calls * 100
}

function interrupted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  return promise
}
