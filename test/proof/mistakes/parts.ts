import {
  defineFlow,
  emfMetrics,
  jsonLogger,
  lockTokens,
  onceForever,
  producer,
  recordHandler,
  sweepHandler,
} from 'lineclear'
import { idempotency } from 'lineclear/middy'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { mapQueue } from 'lineclear/local'
import { runWorker } from 'lineclear/worker'
import { memoryCloud, memoryStore } from 'lineclear/testing'
import { z } from 'zod'
import { any, type Row } from './row.ts'

const store = memoryStore()
const schema = z.object({ id: z.string() })
const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders'
const client = { send: async () => ({}) }
const id = (payload: { readonly id: string }): string => payload.id

const handler = async (): Promise<void> => {}
const worker = (options: object): Promise<void> =>
  runWorker(any({ queueUrl: QUEUE, handler, signal: AbortSignal.abort(), ...options }))
const local = { onStop() {}, queueUrl: () => QUEUE, queueArn: () => 'arn' }
const mapping = (options: object): unknown =>
  mapQueue(any({ cloud: local, queue: 'orders', handler, ...options }))

export const CONSUMERS: readonly Row[] = [
  ['a worker of nothing', () => runWorker(any(undefined)), /runWorker: expected an object/],
  ['a worker without a queue', () => worker({ queueUrl: undefined }), /queueUrl: .*environment/],
  ['a worker of a queue name', () => worker({ queueUrl: 'orders' }), /queueUrl: expected the URL/],
  ['a worker without a handler', () => worker({ handler: undefined }), /handler: expected a func/],
  ['a poll of a minute', () => worker({ waitSeconds: 60 }), /waitSeconds: expected a whole/],
  ['batches of 100, no window', () => worker({ batchSize: 100 }), /window: expected at least 1 s/],
  ['a window in words', () => worker({ window: 'soon' }), /window: expected milliseconds/],
  ['a URL for an SQS client', () => worker({ sqs: QUEUE }), /sqs: expected an SQSClient/],
  ['the controller for its signal', () => worker({ signal: new AbortController() }), /AbortSignal/],
  ['console.log to a worker', () => worker({ logger: console.log }), /logger: expected a logger/],
  ['a timeout in words', () => worker({ functionTimeout: '1 minute' }), /functionTimeout/],
  ['concurency', () => worker({ concurency: 2 }), /runWorker: "concurency" is not known here/],
  ['a mapping of nothing', () => mapQueue(any(undefined)), /mapQueue: expected an object/],
  ['a mapping without a cloud', () => mapping({ cloud: undefined }), /cloud: expected what start/],
  [
    'a mapping in a memory cloud',
    () => mapping({ cloud: memoryCloud({ queues: { orders: {} } }) }),
    /cloud: expected what startLocalCloud gives/,
  ],
  ['a mapping without a queue', () => mapping({ queue: undefined }), /queue: expected the name/],
  ['a mapping without a handler', () => mapping({ handler: undefined }), /handler: expected a fun/],
  ['an unknown fault', () => mapping({ faults: { crash: 1 } }), /faults: "crash" is not known/],
  ['restart: true', () => mapping({ restart: true }), /restart: expected a function/],
]

const orders: Record<string, (...given: readonly unknown[]) => unknown> = any(
  producer(any({ clients: { sqs: client, sns: client } })),
)

export const SENDERS: readonly Row[] = [
  ['producer(null)', () => producer(any(null)), /producer: expected an object/],
  ['a class for its schema', () => producer(any({ schema: Date })), /schema: expected a Standard/],
  ['an id by name', () => producer(any({ id: 'orderId' })), /id: expected a function/],
  [
    'its queue as an option',
    () => producer(any({ queueUrl: QUEUE })),
    /"queueUrl" is not known here/,
  ],
  [
    'a URL for its client',
    () => producer(any({ clients: { sqs: QUEUE } })),
    /sqs: expected an SQSClient/,
  ],
  ['sent to a name', () => orders['send']?.('orders', {}), /expected the URL of a queue/],
  ['sent to a FIFO queue, no group', () => orders['send']?.(`${QUEUE}.fifo`, {}), /groupId/],
  ['undefined sent', () => orders['send']?.(QUEUE, undefined), /undefined.*Nothing was sent/],
  ['a number for its id', () => orders['send']?.(QUEUE, {}, { uniqueRequestId: 5 }), /uniqueReq/],
  ['id for uniqueRequestId', () => orders['send']?.(QUEUE, {}, { id: 'x' }), /"id" is not known/],
  ['sentAt in words', () => orders['send']?.(QUEUE, {}, { sentAt: 'today' }), /sentAt: expected/],
  ['one for many', () => orders['sendMany']?.(QUEUE, {}), /expected a list of \{ payload/],
  ['payloads for messages', () => orders['sendMany']?.(QUEUE, [{ id: 'a' }]), /\{ payload/],
  ['published to a queue', () => orders['publish']?.(QUEUE, {}), /use producer\.send/],
]

type Loose = Record<
  'stageHandler' | 'answerHandler' | 'reset' | 'start',
  (...given: readonly unknown[]) => unknown
>
const flow = (options: object): Loose =>
  any(
    defineFlow(
      any({
        name: 'trip',
        store,
        clients: { sqs: client },
        key: id,
        stages: { book: { schema, queueUrl: QUEUE } },
        awaitingSteps: { quote: { schema, id } },
        ...options,
      }),
    ),
  )
const staged = (book: object): Loose => flow({ stages: { book: { schema, ...book } } })
const awaited = (quote: object): Loose =>
  flow({ awaitingSteps: { quote: { schema, id, ...quote } } })

export const FLOWS: readonly Row[] = [
  ['defineFlow()', () => defineFlow(any(undefined)), /the options: expected an object/],
  ['a name with a slash', () => flow({ name: 'shop/trip' }), /name: expected letters/],
  ['process: fifo', () => flow({ process: 'fifo' }), /process: expected 'newest' or 'every'/],
  ['onConflict: queue', () => flow({ onConflict: 'queue' }), /onConflict: expected 'defer'/],
  [
    'every request runs, and a newer one takes over',
    () => flow({ process: 'every', onConflict: 'supersede' }),
    /'defer' or 'drop': with process 'every' no request may be given up/,
  ],
  [
    'every request runs, and only the newest waits',
    () => flow({ process: 'every', onConflict: 'coalesce' }),
    /'defer' or 'drop'/,
  ],
  ['a key by name', () => flow({ key: 'id' }), /key: expected a function/],
  ['id without sentAt', () => flow({ id }), /sentAt: expected a function beside id/],
  ['no time to run', () => flow({ giveUpAfter: 0 }), /giveUpAfter: expected more than 0/],
  ['giveUpAfter in words', () => flow({ giveUpAfter: '1 day' }), /giveUpAfter: expected/],
  ['maxAge of records', () => flow({ retry: { maxAge: '1d' } }), /maxAge: expected giveUpAfter/],
  [
    'retry.attempts',
    () => flow({ retry: { attempts: 3 } }),
    /retry: "attempts" is not known here: write 'maxAttempts'/,
  ],
  ['stages as a list', () => flow({ stages: [{ schema }] }), /stages: expected an object/],
  ['a stage with spaces', () => flow({ stages: { 'book it': { schema } } }), /a name of letters/],
  ['final: yes', () => staged({ final: 'yes' }), /final: expected true/],
  [
    'a stage with queue',
    () => staged({ queue: QUEUE }),
    /stages\.book: "queue" is not known here: write 'queueUrl'/,
  ],
  ['a stage of an unset URL', () => staged({ queueUrl: undefined }), /environment variable/],
  ['a stage of a queue name', () => staged({ queueUrl: 'book' }), /queueUrl: expected the URL/],
  ['a former name as a text', () => staged({ formerNames: 'buy' }), /expected a list of names/],
  [
    'an await without id',
    () => awaited({ id: undefined }),
    /awaitingSteps\.quote\.id: expected a func/,
  ],
  [
    'an await with an id by name',
    () => awaited({ id: 'quoteId' }),
    /awaitingSteps\.quote\.id: expected/,
  ],
  [
    'an await without a schema',
    () => awaited({ schema: undefined }),
    /awaitingSteps\.quote\.schema/,
  ],
  [
    'a timeout of a step in words',
    () => awaited({ timeout: 'soon' }),
    /awaitingSteps\.quote\.timeout: expected/,
  ],
  [
    'a timeout of a step without a queue',
    () => awaited({ timeout: '1h' }),
    /awaitingSteps\.quote\.queueUrl: expected .* reminder/,
  ],
  [
    'a grace of a step in words',
    () => awaited({ grace: 'soon' }),
    /awaitingSteps\.quote\.grace: expected/,
  ],
  [
    'a step named as a stage',
    () => flow({ awaitingSteps: { book: { schema, id } } }),
    /no stage has/,
  ],
  ['a stage without a handler', () => flow({}).stageHandler('book'), /expected a function/],
  ['a step without a handler', () => flow({}).answerHandler('quote'), /expected a function/],
  ['ontimeout', () => flow({}).answerHandler('quote', handler, { ontimeout() {} }), /"ontimeout"/],
  [
    'onLate: true',
    () => flow({}).answerHandler('quote', handler, { onLate: true }),
    /onLate: expected/,
  ],
  ['start of nothing', () => flow({}).start(undefined), /undefined.*Nothing was sent/],
  [
    'start of a wrong payload',
    () => flow({}).start({ id: 5 }),
    /would refuse it.*Nothing was sent/,
  ],
  ['start with id', () => flow({}).start({ id: 'a' }, { id: 'r' }), /"id" is not known here/],
  [
    'start with a number',
    () => flow({}).start({ id: 'a' }, { uniqueRequestId: 7 }),
    /uniqueRequestId: expected a text; got a number/,
  ],
  ['reset of nothing', () => flow({}).reset(undefined), /expected a key.*Nothing was reset/],
  ['reset of an empty key', () => flow({}).reset(''), /expected a key.*got an empty text/],
]

export const BESIDES: readonly Row[] = [
  ['metrics without a namespace', () => emfMetrics({ namespace: '' }), /namespace: expected 1 to/],
  ['metrics by name', () => emfMetrics(any({ name: 'Shop' })), /"name".*write 'namespace'/],
  [
    'fields by one name',
    () => emfMetrics(any({ fieldsOnly: 'attempt' })),
    /fieldsOnly: expected names/,
  ],
  [
    'metrics of events as an object',
    () => onceForever(any({ store, name: 'events', metrics: {} })),
    /metrics: expected metrics, such as emfMetrics/,
  ],
  [
    'a misspelt option of events',
    () => onceForever(any({ store, name: 'events', metric: emfMetrics() })),
    /"metric".*write 'metrics'/,
  ],
  [
    'metrics of lock tokens as an object',
    () => lockTokens(any({ store, name: 'refunds', metrics: {} })),
    /metrics: expected metrics, such as emfMetrics/,
  ],
  [
    'metrics of the middleware as an object',
    () => idempotency(any({ store, name: 'payments', metrics: {} })),
    /metrics: expected metrics, such as emfMetrics/,
  ],
  [
    'metrics of the sweeper as an object',
    () => sweepHandler(any({ store, metrics: {} })),
    /metrics: expected metrics, such as emfMetrics/,
  ],
  ['metrics to a stream', () => emfMetrics(any({ write: process.stdout })), /write: expected a fu/],
  ['a level in small letters', () => jsonLogger(any('warn')), /expected one of DEBUG, INFO, WARN/],
  ['a table by name', () => tableDefinition(any({ name: 'locks' })), /"name".*'tableName'/],
  ['a store by table', () => dynamoDbStore(any({ tableName: 'locks', table: 'x' })), /"table"/],
  [
    'a store with a region for a client',
    () => dynamoDbStore(any({ tableName: 'locks', client: 'eu-west-1' })),
    /client: expected a DynamoDBClient/,
  ],
  [
    'a search of no read units',
    () => sweepHandler({ store, search: { readUnits: 0 } }),
    /search\.readUnits: expected a number from 1; got/,
  ],
  [
    'a search by a misspelt option',
    () => sweepHandler(any({ store, search: { evry: '1m' } })),
    /evry/,
  ],
  ['a search in words', () => sweepHandler(any({ store, search: 'daily' })), /search: expected/],
  ['a sweeper of no items', () => sweepHandler({ store, most: 0 }), /most: expected a whole/],
  ['a grace in words', () => sweepHandler(any({ store, grace: 'soon' })), /grace: expected/],
  [
    'a result store by name',
    () => recordHandler(any({ name: 'orders', store, offload: 'bucket' }), handler),
    /offload: expected s3Objects/,
  ],
  [
    'metrics as an object',
    () => recordHandler(any({ name: 'orders', store, metrics: {} }), handler),
    /metrics: expected metrics, such as emfMetrics\(\)/,
  ],
]
