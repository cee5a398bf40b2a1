import { redriveDeadLetters, type RedriveReport } from '../operator/dlq/redrive.ts'
import { type BoundReport, DEAD_LETTERS, type Planning } from './boundRun.ts'
import { positionalWords } from '../operator/text/commandLine.ts'
import { flag, number, plan, queue } from '../commands/kinds.ts'
import { type Command, command } from './command.ts'
import {
  changeLetters,
  deadLetterCount,
  FIFO_HEADS,
  goneLines,
  type LettersOptions,
  MAY_BE_HELD,
  mayBeHeld,
  MORE,
  ONLY_PLANNED,
  type OnQueues,
  plannedLines,
  SELECTION,
} from './dlqOptions.ts'
import { QUEUE, QUEUES } from './dlqQueues.ts'
import { continueRedrive } from './planProgress.ts'
import { lineToContinue, REDRIVE } from './redriveLine.ts'
import { UsageError } from './usageError.ts'

type Redriven = OnQueues<RedriveReport>

const PLANNING: Planning = {
  ...DEAD_LETTERS,
  again: (name, io) => lineToContinue(name, io.change.force),
}

export const redrive: Command = command({
  words: REDRIVE,
  summary: 'send dead letters back under the same identity, slowly at first',
  about: [
    'A request of Lineclear continues where it died, and repeats no effect. A message without uniquerequestid is sent with its SQS message id, since SQS gives it a new one. --force also accepts a QUEUE that has a dead-letter queue of its own, runs those whose record is gone as new messages, and sends those that came from another queue than --to there.',
    ...ONLY_PLANNED,
  ],
  arguments: { queue: QUEUE },
  options: {
    ...QUEUES,
    ...SELECTION,
    to: {
      kind: queue,
      help: 'send them there (default: the source queue that SQS or the dead letter names, else the only queue that uses QUEUE)',
      page: true,
    },
    rate: {
      kind: number(1, 10_000),
      help: 'highest rate in dead letters a second: 1 at first, then 2, 5, 10 …; after each step the table is read for their outcomes',
      default: '50',
      page: true,
    },
    stopAfter: {
      kind: number(1, 1_000_000),
      help: 'stop when this many of the first 100 have failed again (default 3)',
      page: true,
    },
    noRamp: { kind: flag, help: 'full rate at once, no stop', page: true },
    asNewRequest: {
      kind: flag,
      help: 'send those of the reason conflict under an id of their own: each runs once beside the request that had its id',
      page: true,
    },
    continue: {
      kind: plan,
      help: 'go on with this plan, if it was paused (Ctrl-C), has stopped, or its command was killed: it does what is left, and nothing twice',
      takes: [],
      page: true,
    },
  },
  examples: [
    'dlq redrive orders-dead --group 6f3d9a1c',
    'dlq redrive --all --id order-17',
    'dlq redrive orders-dead --id order-17 --as-new-request',
    'dlq redrive --continue 7f3a91c2',
  ],
  changes: 'plan',
  long: true,
  receives: true,
  run: async (given, io, signal) => {
    const { queue: from, to, rate, stopAfter, noRamp, asNewRequest, continue: name } = given
    if (name !== undefined) {
      if (from !== undefined) throw new UsageError('expected QUEUE or --continue, got both')
      return continueRedrive(name, io)
    }
    if (stopAfter !== undefined && noRamp) {
      throw new UsageError('expected --stop-after or --no-ramp, got both')
    }
    const change = {
      action: REDRIVE,
      planning: PLANNING,
      run: async (options: LettersOptions) => {
        const store = io.store()
        const ramp = noRamp ? undefined : { store, stopAfter }
        const records = { store, force: io.change.force }
        return redriveDeadLetters({ ...options, to, rate, ramp, records, asNewRequest })
      },
      read: readReport,
      lines: (report: Redriven) => redriveLines(report, from, asNewRequest),
    }
    return changeLetters(change, given, io, signal)
  },
})

function readReport(report: Redriven): BoundReport {
  const { refused, notRemoved, ended, mode } = report
  const { newer: _newer, notPlanned: _later, notSelected: _others, ...stuckFor } = report.stays
  const stuck = sumOf(stuckFor) + refused + notRemoved
  return {
    done: mode === 'plan' ? sumOf(report.to) : report.moved,
    incomplete: stuck > 0 || report.more || mayBeHeld(report) || report.unread.length > 0,
    failed: report.watched.failed,
    ended,
    because: whyOf(report, stuck),
  }
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0)
}

function whyOf(report: Redriven, stuck: number): string | undefined {
  const { ended, error, watched, more, fifo } = report
  if (ended === 'stopped') return `none of the last dead letters was accepted: ${error ?? ''}`
  if (ended === 'failing')
    return `${watched.failed} of the dead letters that were sent have failed again${fifo ? BEHIND : ''}`
  if (stuck > 0) return `${stuck} could not be sent: ${error ?? 'see the plan'}`
  if (more) return 'there are more dead letters than can be held at once'
  return mayBeHeld(report) ? MAY_BE_HELD : undefined
}

function redriveLines(
  report: Redriven,
  from: string | undefined,
  asNewRequest: boolean,
): readonly string[] {
  const { stays, mode, fifo, watched } = report
  const goes = Object.entries(report.to).map(
    ([url, count]) =>
      `${deadLetterCount(count)} ${mode === 'plan' ? 'would go' : 'sent'} to ${url}`,
  )
  const counted: readonly (readonly [count: number, text: string])[] = [
    [
      report.stamped,
      'of them carry no uniquerequestid: each is sent with its SQS message id, which identifies it where neither id(payload) nor an envelope that its consumer opens (SNS, EventBridge, S3) does',
    ],
    [
      report.unsure,
      'of them were written by an attempt, and name no consumer: whether the table still has their record cannot be seen. Where it has none, they come back as lost record',
    ],
    [
      asNewRequest ? report.asNew : 0,
      'of them are sent as requests of their own: their id is that of the message, with a hash of id and payload behind it',
    ],
    [
      asNewRequest ? 0 : report.asNew,
      'of them are sent as new messages (--force): the table has no record of what they have done',
    ],
    [
      stays.noDestination,
      'stay: their source queue is not known. Give --to QUEUE, and a selection if they come from several queues',
    ],
    [
      stays.unprovenSource,
      'stay: they name a source queue that does not use this dead-letter queue, so the name may be forged. Look at them, then give --to QUEUE',
    ],
    [
      stays.otherSource,
      'stay: they came from another queue than --to, whose consumer would refuse them, or do their work a second time. Without --to each goes back to its own; if you mean that queue: --force',
    ],
    [
      stays.elsewhere,
      'stay: they would go to another queue than the plan has shown, since what uses the dead-letter queue has changed. Make the plan again',
    ],
    [
      stays.behind,
      'stay: FIFO queue, and one of their message group before them stays. Select that one, too; or discard it',
    ],
    [stays.tooLarge, 'stay: with their identity they exceed the size of an SQS message'],
    [
      stays.lostRecord,
      'stay: an attempt has written them, and the table has no record of it any more: deleted, or restored. What was done is not known, and their consumer would refuse them (lost record). If nothing was done, or it was put right, --force runs them as new messages; a run of a flow has to be started again',
    ],
    [
      stays.finalDeath,
      "stay: their death is final (dead: 'final', or dropped), and their consumer would drop them. If the work is wanted again, make a new request; else discard them",
    ],
    [
      stays.notKnown,
      'stay: a newer version has written them. Use the command line of that version, and deploy it to their consumers',
    ],
    [
      stays.noConflict,
      'stay: only a dead letter of a consumer with the reason conflict can be sent as a new request',
    ],
    [stays.newer, 'stay: they arrived after this run began'],
    [stays.notPlanned, 'stay: they arrived after the plan was made'],
    [watched.done, 'of the first ones sent have completed'],
    [
      watched.over,
      'of the first ones sent had ended before (completed or resolved): consumers drop them, or refuse them as a conflict',
    ],
    [watched.failed, 'of the first ones sent have failed again'],
    [
      watched.unknown,
      'of the first ones sent name no consumer, so the table does not show what became of them',
    ],
    [watched.open, 'of the first ones sent have not ended yet. To look later: lineclear status'],
    [
      watched.unnamed,
      "of the first ones sent have not ended yet, or have run under another id, when the consumer's option id gives it one in place of the SQS message id. To look later: lineclear status",
    ],
    // When it is applied, the run ends once the plan is done, and has not looked at all others.
    [mode === 'plan' ? stays.notSelected : 0, 'not selected'],
    [report.refused, `stay: their queue did not accept them (${report.error ?? ''})`],
    [
      report.notRemoved,
      `sent, but not removed (${report.error ?? ''}): the next run sends them again, and consumers drop the duplicates`,
    ],
  ]
  const notes = counted.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`)
  return [
    ...goes,
    ...plannedLines(report),
    ...notes,
    ...goneLines(report),
    ...(fifo ? [FIFO_HEADS] : []),
    ...(fifo && watched.failed > 0 ? [ORDER_LOST] : []),
    ...(report.more ? [MORE] : []),
    ...endLines(report, from),
  ]
}

const BEHIND = ', and are behind the later ones of their message group now'
const ORDER_LOST =
  'FIFO queue: those that have failed again come back behind the later dead letters of their message group, which are sent before them when it goes on. If their order counts: discard the later ones, redrive these, then restore the others'

/** @param from the queue as it was typed; undefined: all */
function endLines({ ended, watched }: RedriveReport, from: string | undefined): readonly string[] {
  const queues = from === undefined ? [] : [positionalWords(from)]
  const look = `Look at one: ${['lineclear dlq peek', ...queues].join(' ')}`
  if (ended === 'stopped') return ['Stopped: none of the last dead letters was accepted.']
  if (ended === 'failing') {
    return [
      `Stopped: too many of the dead letters that were sent have failed again (--stop-after). ${look}`,
    ]
  }
  if (ended === 'complete' && watched.failed > 0) return [look]
  return ended === 'taken over' ? ['Stopped: another command has taken over this plan.'] : []
}
