import type { CloudShape, LocalEvent } from '../../testing/local/observe/event.ts'
import {
  type MappedFunction,
  mapOf,
  type SeenSend,
  type SystemMap,
} from '../../testing/local/observe/mapOf.ts'

/** The map of what live events show. */
interface SeenMap {
  observe(event: LocalEvent): void
  /** @param functions what reads the queues. Default: what was seen to read them */
  map(functions?: readonly MappedFunction[]): SystemMap
}

export function newSeenMap(): SeenMap {
  let cloud: CloudShape | undefined
  const queues = new Set<string>()
  /** By the queue that it reads. */
  const readers = new Map<string, string>()
  const sends = new Map<string, SeenSend>()
  const observe = (event: LocalEvent): void => {
    if (event.type === 'cloud') ({ cloud } = event)
    if ('queue' in event && event.queue !== undefined) queues.add(event.queue)
    if (event.type === 'mapping' || event.type === 'begun') {
      readers.set(event.queue, event.function)
    }
    if (event.type === 'call' && event.to !== undefined && SENDS.has(event.action)) {
      const { function: name, to, action } = event
      const topic = action.startsWith('Publish')
      sends.set(`${name} ${to} ${topic}`, { function: name, to, topic })
    }
  }
  const seenReaders = (): readonly MappedFunction[] =>
    [...readers].map(([queue, name]) => ({ name, queue, consumers: [] }))
  return {
    observe,
    map: (functions = seenReaders()) => {
      const seen = [...sends.values()]
      return mapOf(cloud ?? shapeOf(queues, seen), functions, seen)
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
