import { findDeadLetterQueues, messagesOf } from '../operator/dlq/index.ts'
import { prefix } from '../commands/kinds.ts'
import { type Command, command } from './command.ts'
import { unreadLines } from './dlqQueues.ts'
import { printJson } from './printJson.ts'
import { oneLine, tableLines } from './table.ts'

export const list: Command = command({
  words: 'dlq queues',
  summary: 'dead-letter queues, with the counts of SQS; receives nothing',
  arguments: {},
  options: {
    queues: { kind: prefix, help: 'only queues whose names begin with it', page: true },
  },
  examples: ['dlq queues --queues orders'],
  route: 'queues',
  run: async ({ queues: from }, io) => {
    const { queues, unread } = await findDeadLetterQueues({ sqs: io.sqs(), prefix: from })
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
  },
})

const HEAD = ['QUEUE', 'MESSAGES', 'HELD', 'OF']
