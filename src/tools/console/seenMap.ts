import type { CloudShape, LocalEvent } from '../../testing/local/observe/event.ts'
import { mapOf, type SeenSend, type SystemMap } from '../../testing/local/observe/mapOf.ts'
import type { EventSource } from './hub.ts'

/** The map of what live events show, for a console that is given no other one. */
interface SeenMap {
  map(): SystemMap
  stop(): void
}

export function openSeenMap(source: EventSource): SeenMap {
  let cloud: CloudShape | undefined
  const queues = new Set<string>()
  /** By the queue that it reads. */
  const functions = new Map<string, string>()
  const sends = new Map<string, SeenSend>()
  const stop = source.subscribe((given) => {
    const event = given as LocalEvent
    if (event.type === 'cloud') ({ cloud } = event)
    if ('queue' in event && event.queue !== undefined) queues.add(event.queue)
    if (event.type === 'mapping' || event.type === 'begun') {
      functions.set(event.queue, event.function)
    }
    if (event.type === 'call' && event.to !== undefined && SENDS.has(event.action)) {
      const { function: name, to, action } = event
      const topic = action.startsWith('Publish')
      sends.set(`${name} ${to} ${topic}`, { function: name, to, topic })
    }
  })
  return {
    stop,
    map: () => {
      const seen = [...sends.values()]
      const readers = [...functions].map(([queue, name]) => ({ name, queue, consumers: [] }))
      return mapOf(cloud ?? shapeOf(queues, seen), readers, seen)
    },
  }
}

const SENDS = new Set(['SendMessage', 'SendMessageBatch', 'Publish', 'PublishBatch'])

/** Of a cloud that was started before. */
function shapeOf(queues: ReadonlySet<string>, sends: readonly SeenSend[]): CloudShape {
  const topics = sends.filter(({ topic }) => topic === true).map(({ to }) => to)
  return {
    queues: Object.fromEntries([...queues].map((name) => [name, {}])),
    topics: Object.fromEntries(topics.map((name) => [name, { queues: [] }])),
    tables: [],
  }
}
