import { findDeadLetterQueues, messagesOf } from '../operator/dlq/index.ts'
import type { ExitCode, Io } from './command.ts'
import { unreadLines } from './dlqQueues.ts'
import { printJson } from './printJson.ts'
import { positionals, readArgs } from './readArgs.ts'
import { oneLine, tableLines } from './table.ts'

/** Lists the dead-letter queues. What a look at their messages would cost can be told from the counts. */
export async function runQueues(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals: given } = readArgs(args, { queues: { type: 'string' } })
  positionals(given, [])
  const { queues, unread } = await findDeadLetterQueues({ sqs: io.sqs(), prefix: values.queues })
  if (io.json) printJson(io, { queues, unread })
  else {
    const rows = queues.map((queue) => [
      queue.name,
      String(messagesOf(queue)),
      String(queue.inFlight),
      queue.sources.join(', '),
    ])
    if (rows.length === 0) io.out('No queue has a dead-letter queue.')
    else for (const line of tableLines(HEAD, rows, io.width)) io.out(line)
    for (const line of unreadLines(unread)) io.out(oneLine(line))
  }
  return unread.length > 0 ? 1 : 0
}

const HEAD = ['QUEUE', 'MESSAGES', 'HELD', 'OF']
