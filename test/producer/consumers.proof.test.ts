import { producer, recordHandler, snsTopic } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud, type QueueMapping } from 'lineclear/local'
import { expect, it } from 'vitest'
import { untilQuiet } from '../../examples/quiet.ts'
import { quietLogger } from '../testing/local/helpers.ts'

it('what is published and sent more than once under one id is run once by every consumer', async () => {
  await using cloud = await startLocalCloud({
    queues: { mail: {}, ledger: {} },
    topics: { orders: { subscriptions: [{ queue: 'mail' }, { queue: 'ledger' }] } },
    tables: { lineclear: tableDefinition() },
  })
  const runs: string[] = []
  const mappings: QueueMapping[] = []
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  const common = {
    store,
    envelopes: [snsTopic('any')],
    logger: quietLogger(),
    clients: { sqs: cloud.sqs },
  } as const
  for (const name of ['mail', 'ledger']) {
    const handler = recordHandler({ ...common, name }, (_, ctx) => {
      runs.push(`${name} ${ctx.uniqueRequestId} ${ctx.sentAt}`)
    })
    // The duplicate of a running request waits for the end of its lease.
    mappings.push(
      mapQueue({ cloud, queue: name, handler, functionTimeout: '3s', logger: quietLogger() }),
    )
  }
  const orders = producer({ clients: { sqs: cloud.sqs, sns: cloud.sns } })
  const request = { uniqueRequestId: 'o-1' }
  const payload = { n: 1 }
  const sentAt = Date.now() - 60_000
  const again = { ...request, sentAt }
  await orders.publish(cloud.topicArn('orders'), payload, again)
  await orders.publish(cloud.topicArn('orders'), payload, again)
  await orders.send(cloud.queueUrl('mail'), payload, again)
  await untilQuiet(mappings)
  expect(runs.toSorted()).toEqual([`ledger o-1 ${sentAt}`, `mail o-1 ${sentAt}`])
})
