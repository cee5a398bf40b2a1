/** A container: consumes QUEUE_URL, half a second a batch, and says what it does. */
import { runWorker } from 'lineclear/worker'

let batches = 0
await runWorker({
  queueUrl: process.env['QUEUE_URL'] ?? '',
  waitSeconds: 1,
  batchSize: 2,
  concurrency: 2,
  functionTimeout: 3_000,
  handler: async ({ Records }) => {
    console.log(`begins ${Records.map(({ body }) => body).join()}`)
    await new Promise((resolve) => setTimeout(resolve, 500))
    console.log(`ends ${(batches += 1)}`)
    const failed = Records.filter(({ body }) => body === '1')
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  },
})
console.log('stopped')
