const { recordHandler } = require('lineclear')
const { memoryStore, sqsEvent } = require('lineclear/testing')

for (const entry of ['cdk', 'dynamodb', 'local', 'middy', 'postgres', 's3', 'worker']) {
  require(`lineclear/${entry}`)
}
const handler = recordHandler({ name: 'orders', store: memoryStore() }, () => {})
void handler(sqsEvent({ a: 1 }), {}).then((answer) => {
  if (answer.batchItemFailures.length > 0) process.exit(1)
})
