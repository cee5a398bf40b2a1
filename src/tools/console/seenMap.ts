import type { CloudShape, LocalEvent } from '../../testing/local/observe/event.ts'
import {
  type MappedFunction,
  mapOf,
  type SeenSend,
  type SystemMap,
} from '../../testing/local/observe/mapOf.ts'

interface SeenMap {
  observe(event: LocalEvent): void
  map(): SystemMap
}

/** @param functions what reads the queues; undefined: what was seen to read them */
export function newSeenMap(functions?: () => readonly MappedFunction[]): SeenMap {
  let cloud: CloudShape = { queues: {}, topics: {}, tables: [] }
  /** By the queue that it reads. */
  const readers = new Map<string, MappedFunction>()
  const sends = new Map<string, SeenSend>()
  return {
    observe: (event) => {
      if (event.type === 'cloud') ({ cloud } = event)
      if (event.type === 'mapping' || event.type === 'begun') {
        const { queue, function: name } = event
        readers.set(queue, { name, queue, consumers: [] })
      }
      if (event.type === 'call' && event.to !== undefined && SENDS.has(event.action)) {
        const { function: name, to, action } = event
        const topic = action.startsWith('Publish')
        sends.set(`${name} ${to} ${topic}`, { function: name, to, topic })
      }
    },
    map: () => mapOf(cloud, functions?.() ?? [...readers.values()], [...sends.values()]),
  }
}

const SENDS = new Set(['SendMessage', 'SendMessageBatch', 'Publish', 'PublishBatch'])
