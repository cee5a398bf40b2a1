import {
  alarmOfFailures,
  alarmsOfConsumer,
  alarmsOfFunction,
  alarmsOfQueues,
  alarmsOfTable,
  alarmsOfTopic,
} from './alarms.ts'
import { type Consumer, pascal } from './consumer.ts'
import { dashboard } from './dashboard.ts'
import { eventSourcesOf } from './eventSources.ts'
import { queuesOverTls, topicsOverTls } from './onlyTls.ts'
import { queuesOf } from './queues.ts'
import { resumesOf } from './resumes.ts'
import { roleOf } from './role.ts'
import { subscriptionOf } from './subscription.ts'
import { refusingAlarm, unendedAlarm } from './unended.ts'

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
  const named = Object.entries(described).map(([name, rest]) => ({ name, ...rest }))
  const parts = named.map(resourcesOf)
  const shared = [
    alarmsOfTable('LineclearTable', 'byStatus'),
    ...TOPICS.map(alarmsOfTopic),
    alarmOfFailures('SettlementUndone', 'settlement'),
    { Dashboard: dashboard() },
    resumesOf(named),
    queuesOverTls(named),
    topicsOverTls(),
  ]
  const all = [...parts, ...OTHERS.map(alarmsOf), ...shared]
  return { Resources: Object.fromEntries(all.flatMap(Object.entries<unknown>)) }
}

interface Other {
  readonly id: string
  /** In seconds. */
  readonly timeout: number
  /** The name whose calls its alarm counts, and which of its metrics say that calls are refused. */
  readonly calls?: { readonly name: string; readonly refused: readonly string[] }
}

const KEYS = ['misconfigured', 'unavailable', 'notStored']
const EVENTS = ['notQueued', 'unavailable']

/** Functions that consume no queue. */
const OTHERS: readonly Other[] = [
  { id: 'Answer', timeout: 25 },
  { id: 'Payments', timeout: 25, calls: { name: 'payments', refused: KEYS } },
  { id: 'Bookings', timeout: 25, calls: { name: 'bookings', refused: KEYS } },
  { id: 'PaymentsMiddy', timeout: 25, calls: { name: 'payments-middy', refused: KEYS } },
  { id: 'Refunds', timeout: 25, calls: { name: 'refunds', refused: KEYS } },
  { id: 'Callbacks', timeout: 25, calls: { name: 'callbacks', refused: EVENTS } },
  { id: 'Settlement', timeout: 30, calls: { name: 'settlement', refused: KEYS } },
  { id: 'Sweeper', timeout: 50 },
  { id: 'CleanUp', timeout: 50 },
]

function alarmsOf({ id, timeout, calls }: Other): Record<string, unknown> {
  if (calls === undefined) return alarmsOfFunction(id, timeout)
  return {
    ...alarmsOfFunction(id, timeout),
    ...refusingAlarm(id, calls.name, calls.refused),
    // An event is accepted by one write: no attempt at it can be lost.
    ...(calls.refused === KEYS ? unendedAlarm(id, { name: calls.name }) : {}),
  }
}

const TOPICS = ['OrdersTopic', 'PaidTopic']

function resourcesOf(consumer: Consumer): Record<string, unknown> {
  const id = pascal(consumer.name)
  const reportsAs = consumer.reportsAs ?? { consumer: consumer.name }
  return {
    ...queuesOf(consumer),
    ...(consumer.topic === undefined ? {} : subscriptionOf(id, consumer.topic)),
    ...eventSourcesOf(consumer),
    ...roleOf(consumer),
    ...alarmsOfQueues(id, (consumer.topic ?? consumer.rule) !== undefined),
    ...alarmsOfConsumer(id, reportsAs, consumer.timeout),
    ...unendedAlarm(id, reportsAs),
  }
}
