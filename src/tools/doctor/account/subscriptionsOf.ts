import { messageOf } from '../../../library/base/errors.ts'
import type { SilentTopic, UnreadResource } from '../deployment.ts'
import type { SnsReader } from './clients.ts'
import { type DescribedResources, isDenied } from './described.ts'

type ReadTopic = Required<Pick<DescribedResources, 'resources' | 'unread' | 'silentTopics'>>

/** The subscriptions of a topic to these queues. */
export async function subscriptionsOf(
  sns: SnsReader,
  topic: string,
  queues: ReadonlySet<string>,
): Promise<ReadTopic> {
  const listed = await answered(topic, 'sns:ListSubscriptionsByTopic', async () =>
    list(sns, topic, queues),
  )
  if ('why' in listed) return { resources: [], unread: [listed], silentTopics: [] }
  const read = await Promise.all(listed.found.map(async (each) => describe(sns, topic, each)))
  const Properties = { FifoTopic: topic.endsWith('.fifo') }
  return {
    resources: [
      [topic, { Type: 'AWS::SNS::Topic', Properties }],
      ...read.flatMap((each) => ('why' in each ? [] : [each])),
    ],
    unread: [...read.filter((each) => 'why' in each), ...(listed.isWhole ? [] : [unlisted(topic)])],
    silentTopics: silent(topic, listed),
  }
}

interface Listed {
  readonly found: readonly { readonly arn: string; readonly queue: string }[]
  /** Queues whose subscription is not confirmed: it has no ARN yet. */
  readonly pending: readonly string[]
  /** A topic has millions of subscribers at most, few of which are these queues. */
  readonly isWhole: boolean
}

/** A page has 100 subscriptions. */
const MOST_PAGES = 50

async function list(
  sns: SnsReader,
  TopicArn: string,
  queues: ReadonlySet<string>,
): Promise<Listed> {
  const found: { readonly arn: string; readonly queue: string }[] = []
  const pending: string[] = []
  let next: string | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const from = next === undefined ? {} : { NextToken: next }
    const { Subscriptions = [], NextToken } = await sns.listSubscriptionsByTopic({
      TopicArn,
      ...from,
    })
    for (const { SubscriptionArn: arn = '', Endpoint: queue = '' } of Subscriptions) {
      if (!queues.has(queue)) continue
      if (arn.startsWith('arn:')) found.push({ arn, queue })
      else if (arn === 'PendingConfirmation') pending.push(queue)
    }
    if (NextToken === undefined || NextToken === '') return { found, pending, isWhole: true }
    next = NextToken
  }
  return { found, pending, isWhole: false }
}

async function describe(
  sns: SnsReader,
  TopicArn: string,
  { arn, queue }: Listed['found'][number],
): Promise<DescribedResources['resources'][number] | UnreadResource> {
  return answered(arn, 'sns:GetSubscriptionAttributes', async () => {
    const { Attributes = {} } = await sns.getSubscriptionAttributes({ SubscriptionArn: arn })
    const Properties = { ...Attributes, TopicArn, Endpoint: queue, Protocol: 'sqs' }
    return [arn, { Type: 'AWS::SNS::Subscription', Properties }] as const
  })
}

function unlisted(subject: string): UnreadResource {
  const cure = `Look: aws sns list-subscriptions-by-topic --topic-arn ${subject}`
  return { subject, why: 'it has more subscriptions than were looked at', cure }
}

function silent(id: string, { found, pending, isWhole }: Listed): readonly SilentTopic[] {
  const isSubscribed = found.length + pending.length > 0
  return isWhole && !isSubscribed
    ? [{ id, pending: undefined }]
    : pending.map((queue) => ({ id, pending: queue }))
}

/** @returns what was not read, when SNS refuses or gives no answer */
async function answered<T>(
  subject: string,
  action: string,
  ask: () => Promise<T>,
): Promise<T | UnreadResource> {
  try {
    return await ask()
  } catch (error) {
    return isDenied(error)
      ? { subject, why: `${action} is not allowed`, cure: `Allow ${action}, or give --template` }
      : {
          subject,
          why: `${action} has failed (${messageOf(error)})`,
          cure: 'Type it again, or give --template',
        }
  }
}
