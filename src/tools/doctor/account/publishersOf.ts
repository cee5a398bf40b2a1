import type { PolicyStatement, UnreadResource } from '../deployment.ts'
import { sends } from '../sends.ts'
import { readQueues } from '../template/readTable.ts'
import { type AccountClients, isAvailable } from './clients.ts'
import { type DescribedResources, regionOf, unseen } from './described.ts'
import { subscriptionsOf } from './subscriptionsOf.ts'

/**
 * The topics that the policies of the queues name, and their subscriptions to these queues: SNS delivers nothing without such a
 * policy. What is not read is said, by topic or subscription.
 */
export async function publishersOf(
  { sns = { why: 'no SNS client was given', cure: 'Give one' } }: Pick<AccountClients, 'sns'>,
  queues: DescribedResources['resources'],
): Promise<DescribedResources> {
  const admitted = readQueues({ Resources: Object.fromEntries(queues) }).flatMap(({ id, policy }) =>
    policy.filter(admitsTopics).map(({ sourceArns }) => ({ id, sourceArns })),
  )
  if (admitted.length === 0) return { resources: [], unseen: NOT_ADMITTED }
  const topics = [
    ...new Set(admitted.flatMap(({ sourceArns }) => sourceArns.filter((arn) => TOPIC.test(arn)))),
  ]
  const unread = unnamed(admitted)
  if (topics.length === 0) return { resources: [], unseen: [], unread }
  if (!isAvailable(sns)) {
    return { resources: [], unseen: unseen(['topics'], sns.why, sns.cure), unread }
  }
  const known = new Set(queues.map(([arn]) => arn))
  const read = await Promise.all(
    topics.map(async (topic) => subscriptionsOf(sns(regionOf(topic)), topic, known)),
  )
  return {
    resources: read.flatMap((each) => each.resources),
    unseen: [],
    unread: [...unread, ...read.flatMap((each) => each.unread)],
    silentTopics: read.flatMap((each) => each.silentTopics),
  }
}

const NOT_ADMITTED = unseen(
  ['topics'],
  'no queue policy lets a topic in',
  'If a topic is to feed a queue, allow sns.amazonaws.com in its policy, or give --template',
)

/** A pattern of a policy, such as `arn:aws:sns:*:*:orders`, names no topic. */
const TOPIC = /^arn:[\w-]+:sns:[\w-]+:\d+:[\w.-]+$/

function admitsTopics({ effect, principals, actions, sourceArns }: PolicyStatement): boolean {
  return (
    effect === 'Allow' &&
    sends({ actions }) &&
    (principals.includes('sns.amazonaws.com') || principals.includes('*')) &&
    (sourceArns.length === 0 || sourceArns.some((arn) => TOPIC.test(arn) || isPattern(arn)))
  )
}

/** Whether a pattern matches topics, among others perhaps. */
function isPattern(arn: string): boolean {
  const service = arn.split(':')[2] ?? '*'
  return /[*?]/.test(arn) && (service === 'sns' || /[*?]/.test(service))
}

interface Admitted {
  readonly id: string
  readonly sourceArns: readonly string[]
}

function unnamed(admitted: readonly Admitted[]): readonly UnreadResource[] {
  const open = admitted.filter(
    ({ sourceArns }) => sourceArns.length === 0 || sourceArns.some(isPattern),
  )
  return [...new Set(open.map(({ id }) => id))].map((subject) => ({
    subject,
    why: 'its policy lets topics in that it does not name, so that their subscriptions are not read',
    cure: 'Name them in aws:SourceArn, or look: aws sns list-subscriptions',
  }))
}
