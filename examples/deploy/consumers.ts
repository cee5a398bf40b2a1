import { alarmsOfFunction, alarmsOfQueues, alarmsOfTable, alarmsOfTopic } from './alarms.ts'
import { type Consumer, pascal } from './consumer.ts'
import { eventSourcesOf } from './eventSources.ts'
import { queuesOf } from './queues.ts'
import { roleOf } from './role.ts'
import { subscriptionOf } from './subscription.ts'
import { unendedAlarm } from './unended.ts'

interface Serverless {
  readonly resolveConfigurationProperty: (path: readonly string[]) => Promise<unknown>
}

/** Everything that one consumer needs besides its function, for each of `custom.consumers`. */
export async function consumers({ resolveConfigurationProperty }: Serverless): Promise<{
  readonly Resources: Readonly<Record<string, unknown>>
}> {
  const described = (await resolveConfigurationProperty(['custom', 'consumers'])) as Readonly<
    Record<string, Omit<Consumer, 'name'>>
  >
  const parts = Object.entries(described).map(([name, rest]) => resourcesOf({ name, ...rest }))
  const others = Object.entries(OTHERS).map(([id, timeout]) => alarmsOfFunction(id, timeout))
  const shared = [alarmsOfTable('LineclearTable', 'byStatus'), ...TOPICS.map(alarmsOfTopic)]
  const all = [...parts, ...others, ...shared]
  return { Resources: Object.fromEntries(all.flatMap(Object.entries<unknown>)) }
}

/** Functions that consume no queue, and their timeouts in seconds. */
const OTHERS = { Answer: 25, Payments: 25, Callbacks: 25, Sweeper: 50, CleanUp: 50 }

const TOPICS = ['OrdersTopic', 'PaidTopic']

function resourcesOf(consumer: Consumer): Record<string, unknown> {
  const id = pascal(consumer.name)
  return {
    ...queuesOf(consumer),
    ...(consumer.topic === undefined ? {} : subscriptionOf(id, consumer.topic)),
    ...eventSourcesOf(consumer),
    ...roleOf(consumer),
    ...alarmsOfQueues(id, (consumer.topic ?? consumer.rule) !== undefined),
    ...alarmsOfFunction(id, consumer.timeout),
    ...unendedAlarm(id, consumer.reportsAs ?? { consumer: consumer.name }),
  }
}
