import { join, resolve } from 'node:path'
import { runInNewContext } from 'node:vm'
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
import { lambdaContext } from '../../../src/testing/local/mapping/runBatch.ts'
import { httpEvent, s3Notification } from '../../../src/testing/index.ts'
import { dynamoDbStore } from '../../../src/library/adapters/store/dynamodb/index.ts'
import { sweepHandler } from '../../../src/library/entries/sweeper/sweepHandler.ts'
import type { Logger } from '../../../src/library/base/logger.ts'
import type { Answered } from '../checks/desk.ts'
import type { Place } from './place.ts'
import { answeredBy, PROBE } from './probe.ts'
import { describe, environmentOf, nameOf, placesIn, TIMEOUT } from './localDescription.ts'
import { type FunctionOf, readService, type Service } from './service.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
/** Those that need PostgreSQL, and the sweeper, which waits longer than a rehearsal. */
const LEFT_OUT: readonly string[] = ['transfers', 'cleanUp', 'sweeper']
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
  Object.assign(process.env, cloud.environment, QUIET, ...environments.values())
  await cloud.instrumentAll()
  const handlers = new Map<string, Handler>()
  for (const one of functions) handlers.set(one.name, await load(one))
  const mappings = mapAll(cloud, service, handlers)
  const sweeping = startSweeper(cloud)
  const run = (name: string, event: unknown): Promise<unknown> => {
    const lambda = { name, arn: `arn:aws:lambda:${cloud.region}:000000000000:function:${name}` }
    const handler = handlers.get(name)
    if (handler === undefined) throw new Error(`no function ${name}`)
    return handler(event, lambdaContext(lambda, Date.now() + 25_000))
  }
  return {
    clients: cloud,
    resources,
    environment: () => Promise.resolve({ ...cloud.environment, LINECLEAR_TABLE: 'lineclear' }),
    answered: startProbe(cloud),
    async call(path, body, headers) {
      const name = functions.find((one) => one.path === path)?.name ?? path
      const event = httpEvent({ path, headers, body, requestContext: { authorizer: CALLER } })
      // As API Gateway answers for a function that has thrown.
      const answer = await run(name, event).catch((error: unknown) => {
        return { statusCode: 502, body: String(error) }
      })
      const { statusCode: status, body: said = '' } = answer as {
        statusCode: number
        body?: string
      }
      return { status, body: said }
    },
    // As Lambda does with an event: three times at most.
    invoke: async (name, event) => {
      await run(name, event)
        .catch(() => run(name, event))
        .catch(() => run(name, event))
    },
    environmentOf: (name) => Promise.resolve(environments.get(name) ?? {}),
    /** The local cloud has S3 without its notifications, and the consumer reads nothing of the object. */
    async upload(bucket, key, body) {
      const MessageBody = JSON.stringify(s3Notification({ bucket, key, size: body.length }))
      const QueueUrl = resources.get('UploadsQueue')
      await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
    },
    async disturb() {
      for (const [nth, each] of mappings.entries()) each.setFaults({ ...FAULTS, seed: nth + 1 })
      return async () => mappings.forEach((each) => each.setFaults({}))
    },
    async stop() {
      clearInterval(sweeping)
      await cloud.stop()
    },
  }
}

const QUIET = { POWERTOOLS_LOG_LEVEL: 'SILENT' }
const CALLER = {
  iam: { userId: 'AIDACUSTOMER', userArn: 'arn:aws:iam::000000000000:user/customer' },
}
const SWEEP_MS = 2_000

function startSweeper(cloud: LocalCloud): NodeJS.Timeout {
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  const sweep = sweepHandler({ store, clients: { sqs: cloud.sqs }, logger: silent, grace: '1s' })
  return setInterval(() => void sweep().catch(() => {}), SWEEP_MS)
}

function startProbe(cloud: LocalCloud): Answered {
  const exports = {} as { handler: QueueHandler }
  runInNewContext(PROBE, { exports, JSON })
  const { handler } = exports
  const queue = 'probe'
  mapQueue({ cloud, queue, handler, batchSize: 1, functionTimeout: '1s', logger: silent })
  const queues = { queue: cloud.queueUrl(queue), dead: cloud.queueUrl('probeDead') }
  return answeredBy(cloud.sqs, queues, 1_200)
}

async function load({ file, exported }: FunctionOf): Promise<Handler> {
  const module = (await import(join(ROOT, `${file}.ts`))) as Readonly<Record<string, Handler>>
  const handler = module[exported]
  if (handler === undefined) throw new Error(`${file} exports no ${exported}`)
  return handler
}

function mapAll(
  cloud: LocalCloud,
  service: Service,
  handlers: ReadonlyMap<string, Handler>,
): readonly QueueMapping[] {
  return service.functions.flatMap(({ name, queue }) => {
    const handler = handlers.get(name)
    if (queue === undefined || handler === undefined) return []
    return mapQueue({
      cloud,
      queue: nameOf(service, queue),
      handler,
      concurrency: 2,
      functionTimeout: `${TIMEOUT}s`,
      logger: silent,
    })
  })
}
