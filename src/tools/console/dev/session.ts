import type { SentRequest } from '../../../testing/local/dev/definition.ts'
import type { RecordedFault } from '../../../testing/local/dev/replayRun.ts'
import type { Sending, SentDelivery } from '../../../testing/local/dev/sendToCloud.ts'
import type { LocalEvent } from '../../../testing/local/observe/event.ts'
import { thrownIn, thrownText } from '../reply.ts'
import { newFaultLog } from './faultLog.ts'

/**
 * What was sent since the start, and which faults struck: enough to do it again. A long session keeps the newest sends for that;
 * of all it keeps what books compare with the data, which would be wrong without the older ones.
 */
export interface DevSession {
  observe(event: LocalEvent): void
  add(sending: Sending, sent: SentDelivery): void
  count(): number
  /** What was sent last to a queue or topic, of those that are kept. */
  lastTo(to: string): Sending | undefined
  /** What handlers threw, each text once: the first ones. */
  thrown(): readonly string[]
  /** A request that was sent twice is one. */
  requests(): readonly SentRequest[]
  recorded(): { readonly send: readonly Sending[]; readonly faults: readonly RecordedFault[] }
}

interface Entry {
  readonly sending: Sending
  readonly number: number
  /** Ids of its messages, and of its request. */
  readonly ids: readonly string[]
  /** Copies that faults have added. */
  again: number
}

const MOST_SENT = 1_000
const MOST_THROWN = 10

export function newSession(): DevSession {
  const entries: Entry[] = []
  let count = 0
  /** By queue or topic, and id. */
  const requests = new Map<string, SentRequest>()
  /** The number of a message by its id, and by the id of its request. */
  const numbers = new Map<string, number>()
  const thrown = new Set<string>()
  const faults = newFaultLog((id) => numbers.get(id))

  function forgetFirst(): void {
    const { ids = [], number } = entries.shift() ?? {}
    for (const id of ids) if (numbers.get(id) === number) numbers.delete(id)
  }

  /** Sends that are not kept. */
  const gone = (): number => count - entries.length

  return {
    observe: (event) => {
      faults.observe(event)
      const failed = event.type === 'log' ? thrownIn(event) : undefined
      if (failed !== undefined && thrown.size < MOST_THROWN) thrown.add(thrownText(failed))
      if (event.type !== 'fault' || event.messageId === undefined) return
      const entry = entries[(numbers.get(event.messageId) ?? 0) - 1 - gone()]
      if (entry !== undefined) entry.again += 1
    },
    add: (sending, { request, deliveries }) => {
      count += 1
      const number = count
      const { to, payload } = sending
      const ids = [request, ...deliveries.map(({ messageId }) => messageId)]
      entries.push({ sending, number, ids, again: 0 })
      for (const id of ids) numbers.set(id, number)
      const name = `${to} ${request}`
      if (!requests.has(name)) requests.set(name, { number, to, payload, request })
      if (entries.length > MOST_SENT) forgetFirst()
    },
    count: () => count,
    lastTo: (to) => entries.findLast(({ sending }) => sending.to === to)?.sending,
    thrown: () => [...thrown],
    requests: () => [...requests.values()],
    recorded: () => ({
      send: entries.map(({ sending, again }) => {
        const copies = (sending.copies ?? 1) + again
        return copies === 1 ? sending : { ...sending, copies }
      }),
      faults: faults.newest().flatMap(({ message, ...of }) => {
        if (message === undefined) return [of]
        return message > gone() ? [{ ...of, message: message - gone() }] : []
      }),
    }),
  }
}
