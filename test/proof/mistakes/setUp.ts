import {
  defineFlow,
  idempotent,
  lockTokens,
  onceForever,
  recordHandler,
  snsTopic,
  sweepHandler,
} from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { startLocalCloud } from 'lineclear/local'
import {
  exploreCrashes,
  fakeClock,
  memoryCloud,
  memoryStore,
  snsWrapped,
  sqsEvent,
  sqsRecord,
} from 'lineclear/testing'
import { z } from 'zod'
import { any, type Row } from './row.ts'

const store = memoryStore()
const schema = z.object({ id: z.string() })
const record = (options: object, work: unknown = () => {}) =>
  recordHandler(any({ name: 'orders', store, ...options }), any(work))
const flow = (options: object) =>
  defineFlow(
    any({
      name: 'trip',
      store,
      key: ({ id }: { id: string }) => id,
      stages: { book: { schema } },
      ...options,
    }),
  )

const calledWithoutName: (event: object) => unknown = any(
  idempotent(any({ store, key: () => 'k' }), () => 1),
)

export const SET_UP: readonly Row[] = [
  ['no options', () => recordHandler(any(undefined), () => {}), /the first argument: expected an/],
  [
    'handler first',
    () =>
      recordHandler(
        any(() => {}),
        any({}),
      ),
    /the (first|second) argument/,
  ],
  ['no handler', () => record({}, 'work'), /the second argument: expected a function/],
  ['no name', () => record({ name: undefined }), /name: expected letters/],
  ['a name with spaces', () => record({ name: 'my orders' }), /name: expected letters/],
  ['a table for a store', () => record({ store: 'lineclear' }), /store: expected a store/],
  ['a client for a store', () => record({ store: { send() {} } }), /store: expected a store/],
  ['an unset queue URL', () => record({ queueUrl: undefined, deadLetterQueueUrl: '' }), /URL/],
  ['a queue name for a URL', () => record({ queueUrl: 'orders' }), /queueUrl: expected the URL/],
  ['a queue ARN for a URL', () => record({ queueUrl: 'arn:aws:sqs:x:1:q' }), /queueUrl: expected/],
  [
    'a topic for its envelope',
    () => record({ envelopes: ['arn:aws:sns:x:1:t'] }),
    /expected a list, such as \[snsTopic/,
  ],
  ['a topic by name', () => snsTopic('paid'), /snsTopic: topics: expected the ARN of a topic/],
  [
    'a topic of an unset variable',
    () => snsTopic(any(undefined)),
    /is its environment variable set/,
  ],
  ['any topic beside one', () => snsTopic('arn:aws:sns:x:1:t', 'any'), /'any' alone/],
  [
    'a misspelt option',
    () => record({ retries: {} }),
    /"retries" is not known here: expected name, /,
  ],
  [
    'maxRetries',
    () => record({ retry: { maxRetries: 3 } }),
    /retry: "maxRetries" is not known here/,
  ],
  ['no attempts', () => record({ retry: { maxAttempts: 0 } }), /maxAttempts: expected a whole/],
  ['a delay in words', () => record({ retry: { delay: 'soon' } }), /retry\.delay/],
  ['a retention of an hour', () => record({ retention: '1h' }), /retention: expected at least 1 d/],
  ['a duration in words', () => record({ timeoutMargin: '1 second' }), /timeoutMargin/],
  ['concurrency 0', () => record({ concurrency: 0 }), /concurrency: expected a whole number/],
  ['a class for a schema', () => record({ schema: Date }), /schema: expected a Standard Schema/],
  ['an id that is a field name', () => record({ id: 'orderId' }), /id: expected a function/],
  ['console.log for a logger', () => record({ logger: console.log }), /logger: expected a logger/],
  [
    'a URL for a client',
    () => record({ clients: { sqs: 'http://localhost' } }),
    /sqs: expected an SQSClient/,
  ],
  ['parse: xml', () => record({ parse: 'xml' }), /parse: expected 'json' or 'text'/],
  ['a flow without stages', () => flow({ stages: {} }), /stages/],
  ['a flow without a key', () => flow({ key: undefined }), /key/],
  ['a stage without a schema', () => flow({ stages: { book: {} } }), /schema/],
  ['a misspelt option of a flow', () => flow({ stage: {} }), /stage/],
  ['an unknown stage', () => flow({}).stageHandler(any('pay'), () => {}), /pay/],
  [
    'an unknown step',
    () =>
      flow({}).answerHandler(
        any('quote'),
        any(() => {}),
      ),
    /quote/,
  ],
  ['a key without a name', () => calledWithoutName({}), /name/],
  ['lock tokens without a name', () => lockTokens(any({ store })), /name/],
  ['once for ever without a name', () => onceForever(any({ store })), /name/],
  ['a store without a table', () => dynamoDbStore(any({ tableName: undefined })), /tableName/],
  ['events without a store', () => onceForever({ store: any(undefined), name: 'e' }), /store/],
  ['a sweeper without a store', () => sweepHandler(any({})), /store/],
  ['a table without a key', () => memoryStore(any({ tables: { stock: {} } })), /stock/],
  ['queues as a list', () => memoryCloud(any({ queues: ['orders'] })), /queues\.0|a list|expected/],
  ['a misspelt option of a queue', () => memoryCloud(any({ queues: { a: { dlq: 'b' } } })), /dlq/],
  [
    'a topic to no queue',
    () => memoryCloud({ topics: { paid: { subscriptions: [{ queue: 'no' }] } } }),
    /name of a described queue/,
  ],
  [
    'a local cloud of nothing known',
    () => startLocalCloud(any({ queue: {} })),
    /"queue" is not known here/,
  ],
  ['undefined as a payload', () => sqsEvent(undefined), /payload: expected/],
  ['a function as a payload', () => sqsRecord(() => {}), /payload: expected/],
  ['SNS without a topic', () => snsWrapped({}, any({})), /topicArn/],
  ['a clock at a Date', () => fakeClock(any(new Date())), /epoch|milliseconds/],
  ['exploring nothing', () => exploreCrashes(any(undefined), {}), /expected/],
  ['four faults at once', () => exploreCrashes(() => record({}), {}, { faults: 4 }), /faults/],
]
