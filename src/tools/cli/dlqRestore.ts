import { loadOperation, restoreDiscarded, type RestoreReport } from '../operator/dlq/index.ts'
import { type BoundReport, DEAD_LETTERS, runBound } from './boundRun.ts'
import { answer } from './change.ts'
import type { ExitCode, Io } from './command.ts'
import { deadLetterCount } from './dlqOptions.ts'
import { positionals, readArgs } from './readArgs.ts'

const NOTHING = 'all dead letters that it kept were put back'
const PLANNING = { ...DEAD_LETTERS, nothing: NOTHING, nothingLeft: NOTHING }

/** The report, and the plan that has discarded them. */
type Restored = RestoreReport & { readonly discarded: string }

/** Puts what a plan has discarded back on its queue. */
export async function runRestore(
  args: readonly string[],
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { positionals: given } = readArgs(args, {})
  const [plan] = positionals(given, ['PLAN'])
  const discard = await loadOperation(io.store(), plan)
  if (discard?.action !== 'dlq discard') {
    const because = `there is no plan ${plan} that has discarded dead letters`
    return answer({ action: 'dlq restore', id: plan, outcome: 'missing', because }, io)
  }
  const clients = { sqs: io.sqs(), store: io.store(), reader: io.reader() }
  const options = { ...clients, plan, planned: discard.planned, now: io.clock.now(), signal }
  const change = {
    planning: PLANNING,
    action: 'dlq restore',
    id: plan,
    run: async (bound: object): Promise<Restored> => ({
      discarded: plan,
      ...(await restoreDiscarded({ ...options, ...bound })),
    }),
    read: readReport,
    lines: restoreLines,
  }
  return runBound(change, io, false)
}

function readReport({ mode, kept, restored, refused, error, ended }: Restored): BoundReport {
  return {
    done: mode === 'plan' ? kept : restored,
    incomplete: refused > 0,
    ended: ended === 'complete' ? undefined : ended === 'taken over' ? 'stopped' : 'paused',
    because: ended === 'taken over' ? 'another command has taken over' : error,
  }
}

function restoreLines({ mode, kept, restored, refused, error }: Restored): readonly string[] {
  if (mode === 'plan') {
    return [
      `${deadLetterCount(kept)} would be put back on the dead-letter queue`,
      'SQS gives each another message id, and its time on the queue begins anew; its identity stays.',
    ]
  }
  return [
    `${deadLetterCount(restored)} put back on the dead-letter queue`,
    ...(refused > 0 ? [`${refused} not accepted (${error ?? ''}): they stay in the table`] : []),
  ]
}
