import { loadOperation } from '../operator/dlq/operation.ts'
import { restoreDiscarded, type RestoreReport } from '../operator/dlq/discarded.ts'
import { type BoundReport, DEAD_LETTERS, runBound } from './boundRun.ts'
import { printChange } from './change.ts'
import { plan } from '../commands/kinds.ts'
import { type Command, command } from './command.ts'
import { deadLetterCount } from './dlqOptions.ts'

/** Rows that were deleted after their time look the same as rows that never existed. */
const NOTHING =
  'it keeps no dead letter any more: all were put back, or were deleted after --keep, or none was discarded'
const PLANNING = { ...DEAD_LETTERS, nothing: NOTHING, nothingLeft: NOTHING }

type Restored = RestoreReport & { readonly discarded: string }

export const restore: Command = command({
  words: 'dlq restore',
  summary: 'undo a discard: put its dead letters back on their queue, under their identity',
  arguments: { plan: { kind: plan, help: 'the plan of the discard', page: true } },
  options: {},
  examples: ['dlq restore 7f3a91c2'],
  changes: 'plan',
  long: true,
  receives: true,
  run: async ({ plan: name }, io, signal) => {
    const discarded = await loadOperation(io.store(), name)
    if (discarded?.action !== 'dlq discard') {
      const because = `there is no plan ${name} that has discarded dead letters`
      return printChange({ action: 'dlq restore', id: name, outcome: 'missing', because }, io)
    }
    const clients = { sqs: io.sqs(), store: io.store(), reader: io.reader() }
    const { planned } = discarded
    const options = { ...clients, plan: name, planned, now: io.clock.now(), signal }
    const change = {
      planning: PLANNING,
      action: 'dlq restore',
      id: name,
      run: async (bound: object): Promise<Restored> => ({
        discarded: name,
        ...(await restoreDiscarded({ ...options, ...bound })),
      }),
      read: readReport,
      lines: restoreLines,
    }
    return runBound(change, io, false)
  },
})

function readReport({ mode, kept, restored, refused, error, ended }: Restored): BoundReport {
  return {
    done: mode === 'plan' ? kept : restored,
    incomplete: refused > 0,
    ended,
    because: error,
  }
}

function restoreLines({ mode, kept, restored, refused, fifo, error }: Restored): readonly string[] {
  if (mode === 'plan') {
    return [
      `${deadLetterCount(kept)} would be put back on the dead-letter queue`,
      'SQS gives each another message id, and its time on the queue begins anew; its identity stays.',
      ...(fifo
        ? [
            'FIFO queue: each message group keeps its order, and goes behind what is on the queue of it.',
          ]
        : []),
    ]
  }
  return [
    `${deadLetterCount(restored)} put back on the dead-letter queue`,
    ...(refused > 0 ? [`${refused} not accepted (${error ?? ''}): they stay in the table`] : []),
  ]
}
