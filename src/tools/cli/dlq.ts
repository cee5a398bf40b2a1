import type { CliCommand, ExitCode, Io } from './command.ts'
import { runArchive } from './dlqArchive.ts'
import { runDiscard } from './dlqDiscard.ts'
import { runEdit } from './dlqEdit.ts'
import { runGroups } from './dlqGroups.ts'
import { runPause, runResume, runShow } from './dlqOperation.ts'
import { runPeek } from './dlqPeek.ts'
import { runQueues } from './dlqList.ts'
import { runRedrive } from './dlqRedrive.ts'
import { runRestore } from './dlqRestore.ts'
import { untilInterrupted } from './interrupt.ts'
import { UsageError } from './usageError.ts'

type DlqVerb = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>

const VERBS: Readonly<Record<string, DlqVerb>> = {
  queues: runQueues,
  groups: runGroups,
  peek: runPeek,
  redrive: runRedrive,
  archive: runArchive,
  edit: runEdit,
  discard: runDiscard,
  restore: runRestore,
  plan: runShow,
  pause: runPause,
  resume: async (args, io, signal) =>
    runResume(args, io, ([, ...rest], resumed) => runVerb(rest, resumed, signal)),
}

export const dlq: CliCommand = {
  name: 'dlq',
  summary: 'look at dead letters; correct, redrive or archive them',
  usage: `lineclear dlq queues [--queues PREFIX]
lineclear dlq groups [QUEUE] [SELECTION]
lineclear dlq peek [QUEUE] [SELECTION] [--most N] [--body] [--full]
lineclear dlq redrive QUEUE [SELECTION] [--to QUEUE] [--rate N] [--stop-after N | --no-ramp]
lineclear dlq redrive --from-file FILE [SELECTION] --to QUEUE
lineclear dlq archive QUEUE --to-file FILE [SELECTION]
lineclear dlq edit QUEUE --id ID --set PATH=JSON… | --from-file FILE | --to-file FILE [--schema FILE#EXPORT]
lineclear dlq discard QUEUE [SELECTION] [--keep TIME]
lineclear dlq restore PLAN
lineclear dlq plan | pause | resume PLAN

  QUEUE is the name, URL or ARN of a dead-letter queue. Without it, groups and peek read every queue of the account and Region that
  is a dead-letter queue, and --all lets redrive, archive and discard work on them; --queues PREFIX reads only queues whose
  names begin with PREFIX. The dead-letter queue of an SNS subscription has no source queue: name it.

  queues    list the dead-letter queues, with the counts of SQS; receives nothing
  groups    count the dead letters by origin, reason and error; a group keeps its name
  peek      show single dead letters; --body shows their bodies, which may hold personal data; --full cuts nothing
  redrive   send them back under the same identity: a request of Lineclear continues where it died, and repeats no effect.
            A message without uniquerequestid is sent with its SQS message id, since SQS gives it a new one
            --to          default: the source queue that SQS or the dead letter names, else the only queue that uses QUEUE
            --rate        highest rate in dead letters a second (default 50): 1 at first, then 2, 5, 10 …; after each step the
                          table is read for their outcomes
            --stop-after  stop when this many of the first 100 have failed again (default 3); --no-ramp: full rate, no stop
            --from-file   a file that archive has written; it is not changed, and what is sent twice runs once
  archive   write them to a file, then remove them from the queue; an existing file is appended to
  edit      correct the payload of one dead letter; its identity stays, and no effect is repeated. Then redrive it
            --set       a value of a JSON payload: total=17, lines.0.sku='"a"', or a JSON pointer; . is all of it; --to-file writes the payload,
                        --from-file takes it
            --schema    the consumer's schema (Standard Schema), exported by a module; what it refuses is not sent
            --consumer  its consumer, for a message that SQS moved and that names none
  discard   take them off the queue, and keep them in the table for 30 days (--keep); their requests stay as they are
  restore   undo a discard: put its dead letters back on their queue, under their identity
  plan      show a plan, and how much of it is done
  pause     stop the command that applies it after its current page, on any machine; on its own machine use Ctrl-C
  resume    continue a plan that was paused, has stopped, or whose command was killed

  SELECTION: a dead letter must meet all of
    --group NAME       as shown by groups        --id ID…         uniquerequestid, of it or of its run, or SQS message id
    --reason REASON    exhausted, terminal, rejected, too old, unknown, conflict …; moved: by SQS (maxReceiveCount)
    --older-than AGE   10m, 2h, 1d               --match TEXT     part of the body or of the error

  redrive, archive and discard show the plan and its name; --apply NAME changes the dead letters of that plan and no others: what arrived
  since is left and counted. Dead letters that were looked at become visible again after a minute at most.
  --force also accepts a QUEUE that has a dead-letter queue of its own; redrive --force runs those whose record is gone
  as new messages, and sends those that came from another queue than --to there.`,
  run: async (args, io) => untilInterrupted(io.interrupt, (signal) => runVerb(args, io, signal)),
}

async function runVerb(
  [name = '', ...rest]: readonly string[],
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (verb !== undefined) return verb(rest, io, signal)
  throw new UsageError(
    `dlq: expected ${Object.keys(VERBS).join(', ')}; got ${name === '' ? 'nothing' : JSON.stringify(name)}`,
  )
}
