import type { CloudDescription } from '../description/description.ts'
import type { Messaging } from '../engines/messaging.ts'
import type { CloudChanged, CloudShape } from '../observe/event.ts'
import { isUp, type Listening, watchDepths } from '../observe/publish.ts'
import type { Endpoints } from '../sdk/clients.ts'

/**
 * Publishes that the cloud has started, and then the depths of its queues.
 * @returns a function that ends it, and publishes that the cloud has stopped
 */
export function observeCloud(
  description: CloudDescription,
  endpoints: Endpoints,
  messaging: Pick<Messaging, 'depth'> | undefined,
  listening: Listening,
): () => void {
  const cloud = shapeOf(description)
  const changed = (state: CloudChanged['state']): CloudChanged => {
    return { type: 'cloud', at: Date.now(), state, endpoints, cloud }
  }
  const started = changed('started')
  const down = isUp(started)
  listening()?.(started)
  const queues = Object.keys(cloud.queues)
  const stop = messaging && watchDepths(queues, messaging.depth, listening)
  return () => {
    stop?.()
    down()
    listening()?.(changed('stopped'))
  }
}

function shapeOf({ queues = {}, topics = {}, tables = {} }: CloudDescription): CloudShape {
  return {
    queues: mapValues(queues, ({ deadLetter }) =>
      deadLetter === undefined
        ? {}
        : { deadLetter: deadLetter.queue, maxReceiveCount: deadLetter.maxReceiveCount },
    ),
    topics: mapValues(topics, ({ subscriptions = [] }) => ({
      queues: subscriptions.map(({ queue }) => queue),
    })),
    tables: Object.keys(tables),
  }
}

function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T) => U,
): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
