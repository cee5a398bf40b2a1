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
  summary: 'look at dead letters, send them back, or put them into a file',
  usage: `lineclear dlq groups QUEUE [SELECTION]
lineclear dlq peek QUEUE [SELECTION] [--most N] [--body] [--full]
lineclear dlq redrive QUEUE [SELECTION] [--to QUEUE] [--rate N]
lineclear dlq redrive --from-file FILE [SELECTION] --to QUEUE
lineclear dlq archive QUEUE --to-file FILE [SELECTION]

  QUEUE is the name, URL or ARN of a dead-letter queue.

  groups    how many died of what
  peek      single letters; their bodies, which may hold personal data, only with --body; uncut with --full
  redrive   sends them back under their old identity: requests of Lineclear go on where they died, and repeat no effect.
            What carries no identity takes its SQS message id along, which stands where SQS would give another
            --to        default: the queue that the letter names, or from which SQS moved it, else the only one that has QUEUE as its dead-letter queue
            --rate      letters a second (default 50)
            --from-file what archive has written; the file stays, and what is sent twice is taken once
  archive   writes them to a file, then removes them; a file that is there is added to

  SELECTION, all that is given must be met:
    --group NAME       as groups tells it        --id ID          uniquerequestid, its own or its run's, or SQS message id
    --reason REASON    exhausted, terminal, rejected, too old, unknown, conflict …; moved: by SQS itself
    --older-than AGE   10m, 2h, 1d               --match TEXT     stands in the body or in the error

  redrive and archive show the plan; --apply carries it out. Stopped or killed, they are simply run again: what was looked at
  is hidden for a minute then.
  --force also takes a QUEUE that has a dead-letter queue of its own.`,
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

/** Ctrl-C ends the page at hand, and hands back what is held; once more, and the process ends at once. */
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
