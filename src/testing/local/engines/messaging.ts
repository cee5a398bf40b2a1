import { AsyncLocalStorage } from 'node:async_hooks'
import { Server as HttpServer } from 'node:http'
import { Server } from 'node:net'
import {
  localQueueArn,
  LOCAL_REGION,
  type QueueDescription,
  type TopicDescription,
  type SubscriptionDescription,
} from '../description/description.ts'
import { isFifoName } from '../../queues/description.ts'
import { present } from './fauxqs/attributes.ts'
import { loadFauxqs } from './fauxqs/loadFauxqs.ts'
import { queriesAsForms } from './fauxqs/queryProtocol.ts'
import type { InspectedQueue } from './queueContents.ts'
import { guardRequests } from './loopbackGuard.ts'

/** SQS, SNS and S3, in this process. */
export interface Messaging {
  readonly endpoint: string
  createQueue(name: string, queue: QueueDescription): void
  createTopic(name: string, topic: TopicDescription): void
  createBucket(name: string): void
  inspect(queue: string): InspectedQueue | undefined
  stop(): Promise<void>
}

/** Starts fauxqs on a free port. */
export async function startMessaging(): Promise<Messaging> {
  const { startFauxqs } = await loadFauxqs()
  const server = await onLoopback(() =>
    startFauxqs({
      port: 0,
      logger: false,
      defaultRegion: LOCAL_REGION,
    }),
  )
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    createQueue: (name, queue) => {
      server.createQueue(name, { attributes: queueAttributes(name, queue) })
    },
    createTopic: (name, topic) => {
      server.createTopic(name, { attributes: fifoAttributes('FifoTopic', name, topic) })
      for (const subscription of topic.subscriptions ?? []) {
        const attributes = subscriptionAttributes(subscription)
        server.subscribe({ topic: name, queue: subscription.queue, attributes })
      }
    },
    createBucket: (name) => server.createBucket(name),
    inspect: (name) => server.inspectQueue(name),
    stop: () => server.stop(),
  }
}

/** The attributes of CreateQueue for a described queue. All of them are texts. */
function queueAttributes(name: string, queue: QueueDescription): Record<string, string> {
  const { visibilityTimeout, delay, maximumMessageSize, deadLetter } = queue
  return present({
    VisibilityTimeout: visibilityTimeout?.toString(),
    DelaySeconds: delay?.toString(),
    MaximumMessageSize: maximumMessageSize?.toString(),
    RedrivePolicy: deadLetter && redrivePolicy(deadLetter.queue, deadLetter.maxReceiveCount),
    ...fifoAttributes('FifoQueue', name, queue),
  })
}

function redrivePolicy(queue: string, maxReceiveCount: number): string {
  return JSON.stringify({ deadLetterTargetArn: localQueueArn(queue), maxReceiveCount })
}

function fifoAttributes(
  kind: 'FifoQueue' | 'FifoTopic',
  name: string,
  { contentBasedDeduplication = false }: { readonly contentBasedDeduplication?: boolean },
): Record<string, string> {
  if (!isFifoName(name)) return {}
  return { [kind]: 'true', ContentBasedDeduplication: String(contentBasedDeduplication) }
}

function subscriptionAttributes(subscription: SubscriptionDescription): Record<string, string> {
  const { raw = false, filterPolicy, filterPolicyScope } = subscription
  return present({
    RawMessageDelivery: String(raw),
    FilterPolicy: filterPolicy && JSON.stringify(filterPolicy),
    FilterPolicyScope: filterPolicyScope,
  })
}

const starting = new AsyncLocalStorage<true>()
const { listen } = Server.prototype
let starts = 0

/**
 * fauxqs listens on all interfaces and has no option for it: the whole network, and each web page, could read and send messages.
 * Servers that other code opens meanwhile are left as they are.
 */
async function onLoopback<T>(start: () => Promise<T>): Promise<T> {
  starts += 1
  Server.prototype.listen = listenLocally
  try {
    return await starting.run(true, start)
  } finally {
    starts -= 1
    if (starts === 0) Server.prototype.listen = listen
  }
}

function listenLocally(this: Server, ...args: readonly unknown[]): Server {
  const [options, ...others] = args
  const isOurs = starting.getStore() === true && typeof options === 'object'
  if (isOurs && this instanceof HttpServer) {
    queriesAsForms(this as HttpServer)
    guardRequests(this as HttpServer)
  }
  const given = isOurs ? [{ ...options, host: '127.0.0.1' }, ...others] : args
  return Reflect.apply(listen, this, given) as Server
}
