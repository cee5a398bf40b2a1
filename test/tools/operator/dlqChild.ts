import { SQSClient } from '@aws-sdk/client-sqs'
import { redriveDeadLetters } from '../../../src/tools/operator/dlq/redrive.ts'

// Redrives the dead letters, and never removes them: the parent kills it before.
const sqs = new SQSClient({ useQueueUrlAsEndpoint: false })
sqs.middlewareStack.add(
  (next, { commandName }) =>
    async (call) => {
      if (commandName !== 'DeleteMessageBatchCommand') return next(call)
      process.stdout.write('sent\n')
      return new Promise(() => {})
    },
  { step: 'initialize' },
)
setInterval(() => {}, 1_000)
await redriveDeadLetters({ queue: 'dead', to: 'orders', mode: 'apply', sqs, hiddenSeconds: 5 })
