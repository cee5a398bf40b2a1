import {
  type MappedFunction,
  mapOf,
  type SeenSend,
  type SystemMap,
} from '../../../testing/local/observe/mapOf.ts'
import type { CloudShape, LocalEvent } from '../../../testing/local/observe/event.ts'
import type { Described, HandlersOf } from './protocol.ts'

/** The map of the system that runs. */
interface SystemView {
  observe(event: LocalEvent): void
  /** The handlers were loaded. */
  loaded(made: HandlersOf): void
  made(): HandlersOf
  /** Empty before the cloud is up. */
  map(described: Described): SystemMap
}

export function systemView(): SystemView {
  const seen = new Map<string, SeenSend>()
  let cloud: CloudShape = { queues: {}, topics: {}, tables: [] }
  let handlers: HandlersOf = {}
  return {
    observe: (event) => {
      if (event.type === 'cloud') cloud = event.cloud
      if (event.type !== 'call' || event.to === undefined) return
      const topic = event.action.startsWith('Publish')
      seen.set(`${event.function} ${event.to} ${topic}`, {
        function: event.function,
        to: event.to,
        topic,
      })
    },
    loaded: (made) => {
      handlers = made
    },
    made: () => handlers,
    map: ({ consumers }) => {
      const functions = consumers.map(({ queue, functionName }): MappedFunction => ({
        name: functionName,
        queue,
        consumers: handlers[queue] ?? [],
      }))
      return mapOf(cloud, functions, [...seen.values()])
    },
  }
}
