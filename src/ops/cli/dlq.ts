import type { CliCommand, ExitCode, Io } from './command.ts'
import { runArchive } from './dlqArchive.ts'
import { runGroups } from './dlqGroups.ts'
import { runPeek } from './dlqPeek.ts'
import { runRedrive } from './dlqRedrive.ts'
import { UsageError } from './usageError.ts'

type DlqVerb = (args: readonly string[], io: Io, signal: AbortSignal) => Promise<ExitCode>

const VERBS: Readonly<Record<string, DlqVerb>> = {
  groups: runGroups,
  peek: runPeek,
  redrive: runRedrive,
  archive: runArchive,
}

export const dlq: CliCommand = {
  name: 'dlq',
  summary: 'look at dead letters, redrive them, or archive them to a file',
  usage: `lineclear dlq groups [QUEUE] [SELECTION]
lineclear dlq peek [QUEUE] [SELECTION] [--most N] [--body] [--full]
lineclear dlq redrive QUEUE [SELECTION] [--to QUEUE] [--rate N]
lineclear dlq redrive --from-file FILE [SELECTION] --to QUEUE
lineclear dlq archive QUEUE --to-file FILE [SELECTION]

  QUEUE is the name, URL or ARN of a dead-letter queue. Without it: every queue of the account and Region that is the dead-letter
  queue of another one; --queues PREFIX asks only queues whose names begin so. The dead-letter queue of an SNS subscription has no
  source queue: name it.

  groups    count the dead letters by origin, reason and error
  peek      show single dead letters; --body shows their bodies, which may hold personal data; --full cuts nothing
  redrive   send them back under the same identity: a request of Lineclear continues where it died, and repeats no effect.
            A message without uniquerequestid is sent with its SQS message id, since SQS gives it a new one
            --to        default: the source queue that SQS or the dead letter names, else the only queue that uses QUEUE
            --rate      dead letters a second (default 50)
            --from-file a file that archive has written; it is not changed, and what is sent twice runs once
  archive   write them to a file, then remove them from the queue; an existing file is appended to

  SELECTION: a dead letter must meet all of
    --group NAME       as shown by groups        --id ID          uniquerequestid, of it or of its run, or SQS message id
    --reason REASON    exhausted, terminal, rejected, too old, unknown, conflict …; moved: by SQS (maxReceiveCount)
    --older-than AGE   10m, 2h, 1d               --match TEXT     part of the body or of the error

  redrive and archive show the plan; --apply makes the change. If they are stopped or killed, run them again: dead letters
  that were looked at become visible again after a minute.
  --force also accepts a QUEUE that has a dead-letter queue of its own.`,
  run: async ([name = '', ...rest], io) => {
    const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
    if (verb === undefined) {
      throw new UsageError(
        `dlq: expected ${Object.keys(VERBS).join(', ')}; got ${name === '' ? 'nothing' : JSON.stringify(name)}`,
      )
    }
    return untilInterrupted((signal) => verb(rest, io, signal))
  },
}

/** Ctrl-C stops after the current page, and makes the held messages visible again. A second Ctrl-C ends the process at once. */
async function untilInterrupted(
  work: (signal: AbortSignal) => Promise<ExitCode>,
): Promise<ExitCode> {
  const interrupt = new AbortController()
  const stop = (): void => interrupt.abort()
  process.once('SIGINT', stop)
  try {
    return await work(interrupt.signal)
  } finally {
    process.off('SIGINT', stop)
  }
}
