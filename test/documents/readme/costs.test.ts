import { recordHandler, type RecordContext, type HandlerResult } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { sqsEvent } from 'lineclear/testing'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'

let cloud: LocalCloud
const asked: string[] = []

/** A middleware of the SDK, which runs once for each command. */
function record<Next>(next: Next, { commandName = '' }: { readonly commandName?: string }): Next {
  asked.push(commandName.replace('Command', ''))
  return next
}

beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: { orders: {}, mail: {} },
    tables: { lineclear: tableDefinition(), rows: { hash: 'id' } },
  })
  cloud.dynamodb.middlewareStack.add(record, { step: 'initialize' })
  cloud.sqs.middlewareStack.add(record, { step: 'initialize' })
})
afterAll(() => cloud.stop())

const Key = { id: 'r' }
const TableName = 'rows'

/** The table of costs in the guide: requests for one new record, between those for its claim and its end. */
it.each<[string, (ctx: RecordContext) => HandlerResult, readonly string[]]>([
  ['nothing', () => {}, []],
  ['get', (ctx) => ctx.get({ TableName, Key }), ['GetItem']],
  ['write', (ctx) => ctx.write('sum', { TableName, Key, add: { n: 1 } }), ['TransactWriteItems']],
  ['call', (ctx) => ctx.call('call', () => 1), ['UpdateItem']],
  [
    "call with ifUnknown 'stop'",
    (ctx) => ctx.call('call', () => 1, { ifUnknown: 'stop' }),
    ['UpdateItem', 'UpdateItem'],
  ],
  ['send', (ctx) => ctx.send(cloud.queueUrl('mail'), {}), ['SendMessageBatch']],
])('%s costs what the README says', async (_, handler, expected) => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  asked.length = 0
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  await recordHandler({ name: 'orders', store, clients: { sqs: cloud.sqs } }, (__, ctx) =>
    handler(ctx),
  )(sqsEvent({ n: 1 }), lambdaContext())
  expect(asked).toEqual(['PutItem', ...expected, 'UpdateItem'])
})
