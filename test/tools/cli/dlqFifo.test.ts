import { SQSClient } from '@aws-sdk/client-sqs'
import { recordHandler, TerminalError } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { testTime } from '../../flow/flowHarness.ts'
import { deliver, send, startDlqCloud } from '../operator/dlqHarness.ts'
import { run } from './runHere.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud({ lineclear: tableDefinition() })
})
afterAll(() => cloud.stop())

it('a redrive that stops says that those that have failed again are behind the others', async () => {
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  const options = { name: 'orders', store, logger: quietLogger(), clients: { sqs: cloud.sqs } }
  const handler = recordHandler(options, () => {
    throw new TerminalError('never')
  })
  const work = () => deliver(cloud, 'orders.fifo', handler)
  for (let n = 1; n <= 15; n++) {
    await send(cloud, 'orders.fifo', { n }, { groupId: 'a', deduplicationId: `d${n}` })
  }
  while ((await work()) > 0);
  const clients = { sqs: workingAfterEachSend(work), dynamodb: cloud.dynamodb, clock: testTime() }
  const redrive = async (...more: readonly string[]) =>
    run(['dlq', 'redrive', 'dead.fifo', ...more], clients)
  const { plan } = JSON.parse((await redrive('--json')).out) as { plan: string }
  const { code, out } = await redrive('--apply', plan)
  expect(code).toBe(1)
  expect(out).toContain('come back behind the later dead letters of their message group')
  const progress = await run(['status', '--plan', plan], clients)
  expect(progress.out).toMatch(/stopped: .* are behind the later ones of their message group now/)
})

/** A client behind which the consumer has worked before a send is answered. */
function workingAfterEachSend(work: () => Promise<number>): SQSClient {
  const sqs = cloud.instrument(
    new SQSClient({
      endpoint: cloud.endpoints.sqs ?? '',
      region: cloud.region,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    }),
  )
  sqs.middlewareStack.add(
    (next, { commandName }) =>
      async (call) => {
        const answer = await next(call)
        if (commandName === 'SendMessageBatchCommand') await work()
        return answer
      },
    { step: 'initialize' },
  )
  return sqs
}
