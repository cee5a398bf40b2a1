import type { DeployedQueue, Subscription, DeployedTopic, UncheckedPart } from '../deployment.ts'
import { asList, asValues } from '../template/values.ts'
import type { SnsReader, SubscriptionPage } from './clients.ts'
import { isAccessDenied } from './accessDenied.ts'

export interface Publishers {
  readonly topics: readonly DeployedTopic[]
  readonly subscriptions: readonly Subscription[]
  readonly unseen: readonly UncheckedPart[]
}

/** The topics that the policies of these queues admit, and their subscriptions to these queues. */
export async function describeTopics(
  sns: SnsReader,
  queues: readonly DeployedQueue[],
): Promise<Publishers> {
  const arns = new Set(
    queues.flatMap(({ policy }) => policy.flatMap(({ sourceArns }) => sourceArns)),
  )
  const topics = [...arns].filter((arn) => TOPIC.test(arn))
  if (topics.length === 0) return { topics: [], subscriptions: [], unseen: [NO_TOPIC] }
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

const NO_TOPIC: UncheckedPart = {
  part: 'topics',
  why: 'no queue policy names a topic',
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
