import { join, resolve } from 'node:path'
import { runInNewContext } from 'node:vm'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { Context } from 'aws-lambda'
import {
  type Faults,
  type LocalCloud,
  mapQueue,
  type QueueMapping,
  startLocalCloud,
} from '../../../src/testing/local/index.ts'
import type { QueueHandler } from '../../../src/testing/local/mapping/invoke.ts'
import { lambdaContext } from '../../../src/testing/local/mapping/openInvocation.ts'
import { httpEvent, s3Event } from '../../../src/testing/index.ts'
import { dynamoDbStore } from '../../../src/store/dynamodb/index.ts'
import { sweepHandler } from '../../../src/tools/operator/index.ts'
import type { Logger } from '../../../src/base/logger.ts'
import type { Place } from './place.ts'
import { answeredBy, PROBE } from './probe.ts'
import { type FunctionOf, namedBy, readService, type Service } from './service.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const SECRET = 'the-secret-that-the-provider-signs-with'
/** Seconds. Much shorter than deployed: what was killed is delivered again in the time of the rehearsal. */
const TIMEOUT = 4
const BUCKET = 'uploads'
/** Those that need PostgreSQL, and the sweeper, which waits longer than a rehearsal. */
const LEFT_OUT: readonly string[] = ['transfers', 'cleanUp', 'sweeper']
const PROBES = {
  probe: { visibilityTimeout: 1, deadLetter: { queue: 'probeDead', maxReceiveCount: 2 } },
}

const FAULTS: Faults = {
  duplicate: 0.1,
  duplicateLater: 0.05,
  kill: 0.02,
  loseAnswer: 0.02,
  throttle: 0.02,
  shuffle: true,
  conflict: 0.02,
  staleRead: 0.1,
  sandboxDeath: 0.03,
}
const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }

type Handler = (event: unknown, context: Context) => Promise<unknown>

/** The functions of serverless.yml in this process, on the local cloud. */
export async function startLocal(): Promise<Place & { stop(): Promise<void> }> {
  const service = await readService()
  const cloud = await startLocalCloud(describe(service), { logger: silent })
  const resources = placesIn(service, cloud)
  const functions = service.functions.filter(({ name }) => !LEFT_OUT.includes(name))
  const environments = new Map(functions.map((one) => [one.name, environmentOf(one, resources)]))
  Object.assign(process.env, cloud.environment, { POWERTOOLS_LOG_LEVEL: 'SILENT' })
  Object.assign(process.env, ...environments.values())
  await cloud.instrumentAll()
  const handlers = new Map<string, Handler>()
  for (const one of functions) handlers.set(one.name, await load(one))
  const mappings = functions.flatMap(({ name, queue }, nth) => {
    const mapped = queue && map(cloud, nameOf(service, queue), handlers.get(name), nth)
    return mapped ? [mapped] : []
  })
  mapQueue({
    cloud,
    queue: 'probe',
    handler: probe(),
    batchSize: 1,
    functionTimeout: '1s',
    logger: silent,
  })
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  const sweep = sweepHandler({ store, sqs: cloud.sqs, logger: silent, grace: '1s' })
  const sweeping = setInterval(() => void sweep().catch(() => {}), SWEEP_MS)
  const s3 = new S3Client({
    endpoint: cloud.endpoints.s3 ?? '',
    forcePathStyle: true,
    region: cloud.region,
  })
  const probes = { queue: cloud.queueUrl('probe'), dead: cloud.queueUrl('probeDead') }
  const run = (name: string, event: unknown): Promise<unknown> => {
    const lambda = { name, arn: `arn:aws:lambda:${cloud.region}:000000000000:function:${name}` }
    const handler = handlers.get(name)
    if (handler === undefined) throw new Error(`no function ${name}`)
    return handler(event, lambdaContext(lambda, Date.now() + 25_000))
  }
  return {
    clients: cloud,
    resources,
    environment: { ...cloud.environment, LINECLEAR_TABLE: 'lineclear' },
    answered: answeredBy(cloud.sqs, probes, 1_200),
    async call(path, body, headers) {
      const name = functions.find((one) => one.path === path)?.name ?? path
      const iam = { userId: 'AIDACUSTOMER', userArn: 'arn:aws:iam::000000000000:user/customer' }
      const requestContext = { authorizer: { iam } }
      const answer = await run(name, httpEvent({ path, headers, body, requestContext }))
      const { statusCode: status, body: said = '' } = answer as {
        statusCode: number
        body?: string
      }
      return { status, body: said }
    },
    invoke: async (name, event) => void (await run(name, event)),
    environmentOf: (name) => Promise.resolve(environments.get(name) ?? {}),
    async upload(Bucket, Key, Body) {
      await s3.send(new PutObjectCommand({ Bucket, Key, Body }))
      const MessageBody = JSON.stringify(s3Event({ bucket: Bucket, key: Key, size: Body.length }))
      const QueueUrl = resources.get('UploadsQueue')
      await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
    },
    disturb() {
      for (const [nth, mapping] of mappings.entries())
        mapping.setFaults({ ...FAULTS, seed: nth + 1 })
      return Promise.resolve(async () => {
        for (const mapping of mappings) mapping.setFaults({})
      })
    },
    async stop() {
      clearInterval(sweeping)
      s3.destroy()
      await cloud.stop()
    },
  }
}

const SWEEP_MS = 2_000

function probe(): QueueHandler {
  const exports = {} as { handler: QueueHandler }
  runInNewContext(PROBE, { exports, JSON })
  return exports.handler
}

async function load({ file, exported }: FunctionOf): Promise<Handler> {
  const module = (await import(join(ROOT, `${file}.ts`))) as Readonly<Record<string, Handler>>
  const handler = module[exported]
  if (handler === undefined) throw new Error(`${file} exports no ${exported}`)
  return handler
}

function map(
  cloud: LocalCloud,
  queue: string,
  handler: Handler | undefined,
  nth: number,
): QueueMapping | undefined {
  if (handler === undefined) return undefined
  return mapQueue({
    cloud,
    queue,
    handler,
    concurrency: 2,
    functionTimeout: `${TIMEOUT}s`,
    faults: { seed: nth + 1 },
    logger: silent,
  })
}

/** The queue's own name, or its logical one. */
function nameOf({ resources }: Service, id: string): string {
  const name = resources[id]?.Properties['QueueName'] ?? resources[id]?.Properties['TableName']
  return typeof name === 'string' ? name : id
}

function ofType(
  { resources }: Service,
  type: string,
): [string, Readonly<Record<string, unknown>>][] {
  return Object.entries(resources).flatMap(([id, { Type, Properties }]) =>
    Type === type ? [[id, Properties]] : [],
  )
}

function describe(service: Service) {
  const queues = ofType(service, 'AWS::SQS::Queue').map(([id, { RedrivePolicy }]) => {
    const { deadLetterTargetArn, maxReceiveCount = 10 } = (RedrivePolicy ?? {}) as {
      deadLetterTargetArn?: unknown
      maxReceiveCount?: number
    }
    const dead = namedBy(deadLetterTargetArn)
    const deadLetter = dead && {
      queue: nameOf(service, dead),
      maxReceiveCount: 10 * maxReceiveCount,
    }
    return [
      nameOf(service, id),
      { visibilityTimeout: 3 * TIMEOUT, ...(deadLetter && { deadLetter }) },
    ]
  })
  const subscriptions = ofType(service, 'AWS::SNS::Subscription').filter(
    ([, { Protocol }]) => Protocol === 'sqs',
  )
  const topics = ofType(service, 'AWS::SNS::Topic').map(([id]) => {
    const ours = subscriptions.filter(([, { TopicArn }]) => namedBy(TopicArn) === id)
    const queuesOf = ours.map(([, { Endpoint }]) => ({
      queue: nameOf(service, namedBy(Endpoint) ?? ''),
    }))
    return [id, { subscriptions: queuesOf }]
  })
  const rules = ofType(service, 'AWS::Events::Rule').flatMap(([, { EventPattern, Targets }]) => {
    const { source, 'detail-type': detailTypes } = EventPattern as Record<string, string[]>
    const sources = source ?? []
    return (Targets as { Arn: unknown }[]).map(({ Arn }) => {
      return { queue: nameOf(service, namedBy(Arn) ?? ''), sources, detailTypes: detailTypes ?? [] }
    })
  })
  const tables = ofType(service, 'AWS::DynamoDB::Table').map(([, Properties]) => {
    const { TableName, KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = Properties
    const table = { KeySchema, AttributeDefinitions, BillingMode: 'PAY_PER_REQUEST' }
    return [
      TableName,
      { ...table, ...(GlobalSecondaryIndexes !== undefined && { GlobalSecondaryIndexes }) },
    ]
  })
  return {
    queues: { ...Object.fromEntries(queues), ...PROBES, probeDead: {} },
    topics: Object.fromEntries(topics),
    buses: { default: { rules } },
    tables: Object.fromEntries(tables),
    buckets: [BUCKET, 'payloads'],
  } as Parameters<typeof startLocalCloud>[0]
}

function placesIn(service: Service, cloud: LocalCloud): ReadonlyMap<string, string> {
  return new Map([
    ...ofType(service, 'AWS::SQS::Queue').map(
      ([id]) => [id, cloud.queueUrl(nameOf(service, id))] as const,
    ),
    ...ofType(service, 'AWS::SNS::Topic').map(([id]) => [id, cloud.topicArn(id)] as const),
    ...ofType(service, 'AWS::DynamoDB::Table').map(([id]) => [id, nameOf(service, id)] as const),
    ['UploadsBucket', BUCKET],
    ['PayloadsBucket', 'payloads'],
  ])
}

/** One secret for all webhooks: the functions share a process. */
function environmentOf(
  { environment }: FunctionOf,
  resources: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const values = Object.entries(environment).flatMap(([name, value]): [string, string][] => {
    if (name === 'WEBHOOK_SECRETS') return [[name, JSON.stringify({ current: SECRET })]]
    const found = resources.get(namedBy(value) ?? '')
    return found === undefined ? [] : [[name, found]]
  })
  return Object.fromEntries(values)
}
