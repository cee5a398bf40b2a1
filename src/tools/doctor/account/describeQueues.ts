import { GetQueueAttributesCommand, GetQueueUrlCommand } from '@aws-sdk/client-sqs'
import type { DeployedQueue, Subscription, DeployedTopic, UncheckedPart } from '../deployment.ts'
import { permissionOf } from '../template/readTable.ts'
import { readStatements } from '../template/readPolicies.ts'
import { asList, asValues } from '../template/resolve.ts'
import {
  regionOf,
  type AccountClients,
  type SnsReader,
  type SubscriptionPage,
  isAccessDenied,
} from './clients.ts'

type Sqs = AccountClients['sqs']

/** The queues, and the dead-letter queues that they name. */
export async function describeQueues(sqs: Sqs, urls: readonly string[]): Promise<DeployedQueue[]> {
  const queues = await Promise.all(urls.map((url) => describeQueue(sqs, url)))
  const known = new Set(queues.map(({ id }) => id))
  const targets = new Set(queues.map(({ deadLetter }) => deadLetter?.queue))
  const missing = [...targets].filter((arn) => arn !== undefined && !known.has(arn))
  const dead = missing.map(async (arn = '') => describeQueue(sqs, await urlOf(sqs, arn)))
  return [...queues, ...(await Promise.all(dead))]
}

async function urlOf(sqs: Sqs, arn: string): Promise<string> {
  const [, , , , QueueOwnerAWSAccountId = '', QueueName = ''] = arn.split(':')
  const input = { QueueName, QueueOwnerAWSAccountId }
  return (await sqs.send(new GetQueueUrlCommand(input))).QueueUrl ?? ''
}

async function describeQueue(sqs: Sqs, url: string): Promise<DeployedQueue> {
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] })
  const { Attributes = {} } = await sqs.send(command)
  return queueOf(Attributes)
}

function queueOf(attributes: Partial<Record<string, string>>): DeployedQueue {
  const { Policy, RedrivePolicy, RedriveAllowPolicy } = attributes
  const { deadLetterTargetArn, maxReceiveCount } = read(RedrivePolicy)
  const allow = read(RedriveAllowPolicy)
  const id = attributes['QueueArn'] ?? ''
  return {
    id,
    region: regionOf(id),
    kind: attributes['FifoQueue'] === 'true' ? 'fifo' : 'standard',
    visibilityTimeout: Number(attributes['VisibilityTimeout'] ?? 30),
    retention: Number(attributes['MessageRetentionPeriod'] ?? 345_600),
    encryption: encryptionOf(attributes),
    policy: readStatements({ Resources: {} }, read(Policy)),
    ...(typeof deadLetterTargetArn === 'string'
      ? { deadLetter: { queue: deadLetterTargetArn, maxReceiveCount: Number(maxReceiveCount) } }
      : {}),
    ...(RedriveAllowPolicy === undefined
      ? {}
      : {
          redriveAllow: {
            permission: permissionOf(allow['redrivePermission']),
            sources: asList(allow['sourceQueueArns']).map(String),
          },
        }),
  }
}

function encryptionOf(attributes: Partial<Record<string, string>>): DeployedQueue['encryption'] {
  const { KmsMasterKeyId, SqsManagedSseEnabled } = attributes
  if (KmsMasterKeyId === undefined) return SqsManagedSseEnabled === 'true' ? 'sqs' : 'none'
  return KmsMasterKeyId === 'alias/aws/sqs' ? 'aws managed kms' : 'kms'
}

function read(json: string | undefined): ReturnType<typeof asValues> {
  return asValues(JSON.parse(json ?? '{}'))
}

export interface Publishers {
  readonly topics: readonly DeployedTopic[]
  readonly subscriptions: readonly Subscription[]
  readonly unseen: readonly UncheckedPart[]
}

/** The topics that the policies of these queues admit. */
export function topicsOf(queues: readonly DeployedQueue[]): readonly string[] {
  const arns = queues.flatMap(({ policy }) => policy.flatMap(({ sourceArns }) => sourceArns))
  return [...new Set(arns)].filter((arn) => TOPIC.test(arn))
}

/** The topics, and their subscriptions to these queues. */
export async function describeTopics(
  sns: SnsReader,
  topics: readonly string[],
  queues: readonly DeployedQueue[],
): Promise<Publishers> {
  const known = new Set(queues.map(({ id }) => id))
  try {
    const subscriptions = await Promise.all(topics.map((topic) => describe(sns, topic, known)))
    return {
      topics: topics.map((id) => ({ id, kind: id.endsWith('.fifo') ? 'fifo' : 'standard' })),
      subscriptions: subscriptions.flat(),
      unseen: [],
    }
  } catch (error) {
    if (!isAccessDenied(error)) throw error
    const actions = 'sns:ListSubscriptionsByTopic and GetSubscriptionAttributes'
    const unseen = {
      why: `${actions} are not allowed`,
      cure: `Allow ${actions}, or give --template`,
    }
    return { topics: [], subscriptions: [], unseen: [{ part: 'topics', ...unseen }] }
  }
}

/** A pattern of a policy, such as `arn:aws:sns:*:*:orders`, names no topic. */
const TOPIC = /^arn:[\w-]+:sns:[\w-]+:\d+:[\w.-]+$/

async function describe(
  sns: SnsReader,
  topic: string,
  queues: ReadonlySet<string>,
): Promise<readonly Subscription[]> {
  const found: Subscription[] = []
  let next: string | undefined
  do {
    const from = next === undefined ? {} : { NextToken: next }
    const page: SubscriptionPage = await sns.listSubscriptionsByTopic({ TopicArn: topic, ...from })
    for (const { SubscriptionArn, Endpoint } of page.Subscriptions ?? []) {
      const isOurs = Endpoint !== undefined && queues.has(Endpoint)
      // A subscription that was never confirmed delivers nothing, and has no attributes.
      if (!isOurs || SubscriptionArn?.startsWith('arn:') !== true) continue
      found.push(await describeOne(sns, topic, SubscriptionArn, Endpoint))
    }
    next = page.NextToken
  } while (next !== undefined && next !== '')
  return found
}

async function describeOne(
  sns: SnsReader,
  topic: string,
  id: string,
  queue: string,
): Promise<Subscription> {
  const { Attributes = {} } = await sns.getSubscriptionAttributes({ SubscriptionArn: id })
  const { deadLetterTargetArn } = asValues(JSON.parse(Attributes['RedrivePolicy'] ?? '{}'))
  const [deadLetter] = asList(deadLetterTargetArn).map(String)
  return {
    id,
    topic,
    queue,
    delivery: Attributes['RawMessageDelivery'] === 'true' ? 'raw' : 'wrapped',
    ...(deadLetter === undefined ? {} : { deadLetter }),
  }
}
