import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { runWorker } from 'lineclear/worker'

const queueUrl = process.env['QUEUE_URL'] ?? ''
const store = dynamoDbStore({ tableName: 'lineclear' })
const handler = recordHandler({ name: 'worker', store, queueUrl }, (payload, ctx) => {
  ctx.logger.info('working', { payload })
})

await runWorker({ queueUrl, handler })
