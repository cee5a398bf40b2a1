import { readFileSync } from 'node:fs'
import { SQSClient } from '@aws-sdk/client-sqs'
import { producer } from 'lineclear'

const local = JSON.parse(readFileSync('.lineclear/local.json', 'utf8')) as { readonly sqs: string }
const sqs = new SQSClient({
  endpoint: local.sqs,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
})
const queue = `${local.sqs}/000000000000/orders`

for (const orderId of process.argv.slice(2)) {
  await producer({ clients: { sqs } }).send(queue, { orderId }, { uniqueRequestId: orderId })
  console.log(`sent ${orderId}`)
}
