import { toMilliseconds, wrongOption } from '../../../library/base/options.ts'
import { tableDefinition } from '../../../library/adapters/store/dynamodb/tableDefinition.ts'
import type {
  CloudDescription,
  QueueDescription,
  TopicDescription,
} from '../description/description.ts'
import { FUNCTION_TIMEOUT_MS, advisedVisibility } from '../mapping/options.ts'
import type { DevCloud, DevConsumer } from './definition.ts'

type Consumers = Readonly<Record<string, DevConsumer>>
type Queues = NonNullable<CloudDescription['queues']>
type Topics = NonNullable<CloudDescription['topics']>
type Tables = NonNullable<CloudDescription['tables']>

/** As the constructs of `lineclear/cdk` have it: deferrals are receives, too. */
const MAX_RECEIVES = 10

/** Adds what follows from the consumers. A cloud that is complete stays as it is. */
export function completeCloud(
  { queues = {}, topics = {}, tables = {}, ...others }: DevCloud,
  consumers: Consumers,
): CloudDescription {
  const described = Object.fromEntries(
    Object.entries(topics).map(([name, topic]) => [name, topicOf(name, topic)]),
  )
  return {
    ...others,
    queues: withQueuesFor(queues, consumers, described),
    topics: described,
    tables: ownTableIn(tables) ? tables : { lineclear: tableDefinition(), ...tables },
  }
}

function topicOf(name: string, topic: TopicDescription | readonly string[]): TopicDescription {
  if (!isList(topic)) return topic
  if (!topic.every((queue) => typeof queue === 'string')) {
    const expected = 'a list of names of queues, or a description'
    throw wrongOption('defineDev', `cloud.topics.${name}`, expected, topic)
  }
  return { subscriptions: topic.map((queue) => ({ queue })) }
}

function isList(topic: TopicDescription | readonly string[]): topic is readonly string[] {
  return Array.isArray(topic)
}

/** In the order in which pages list them: dead-letter queues come last. */
function withQueuesFor(given: Queues, consumers: Consumers, topics: Topics): Queues {
  const queues: Record<string, QueueDescription> = { ...given }
  const added = Object.entries(consumers).filter(([queue]) => !Object.hasOwn(given, queue))
  for (const [queue, consumer] of added) {
    queues[queue] = {
      visibilityTimeout: visibilityFor(queue, consumer),
      deadLetter: { queue: deadLetterQueueOf(queue), maxReceiveCount: MAX_RECEIVES },
    }
  }
  for (const { subscriptions = [] } of Object.values(topics)) {
    for (const { queue } of subscriptions) queues[queue] ??= {}
  }
  for (const [queue] of added) queues[deadLetterQueueOf(queue)] ??= {}
  return queues
}

/** The dead-letter queue of a FIFO queue is one, too. */
function deadLetterQueueOf(queue: string): string {
  return queue.endsWith('.fifo') ? `${queue.slice(0, -'.fifo'.length)}-dead.fifo` : `${queue}-dead`
}

function visibilityFor(queue: string, { functionTimeout, window = 0 }: DevConsumer): number {
  const where = `consumers.${queue}`
  return advisedVisibility({
    functionTimeout: toMilliseconds(
      `${where}.functionTimeout`,
      functionTimeout ?? FUNCTION_TIMEOUT_MS,
    ),
    window: toMilliseconds(`${where}.window`, window),
  })
}

/** The name of the table with Lineclear's index. */
export function ownTableIn(tables: Tables): string | undefined {
  const own = Object.entries(tables).find(
    ([, table]) =>
      'GlobalSecondaryIndexes' in table &&
      table.GlobalSecondaryIndexes?.some(({ IndexName }) => IndexName === 'byStatus'),
  )
  return own?.[0]
}
