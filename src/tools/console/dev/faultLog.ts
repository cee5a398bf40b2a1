import type { RecordedFault } from '../../../testing/local/dev/replayRun.ts'
import type { NextFault } from '../../../testing/local/faults/faults.ts'
import type {
  CallEvent,
  FaultStruck,
  InvocationBegun,
  LocalEvent,
} from '../../../testing/local/observe/event.ts'

/** The faults that struck, each as one that a replay can aim again. `message` counts all that was sent. */
interface FaultLog {
  observe(event: LocalEvent): void
  newest(): readonly RecordedFault[]
}

const MOST_FAULTS = 10_000
/** Calls of one invocation that are remembered. */
const MOST_CALLS = 500

interface Running {
  readonly messages: InvocationBegun['messages']
  /** The newest attempt of each call, by the number of the call. */
  readonly calls: Map<number, CallEvent>
  /** Calls of which one statement was refused: their own event does not show it. */
  readonly conflicts: Set<number>
  /** Its sandbox has died, and it is not known yet during which call. */
  death?: FaultStruck
}

/** @param numberOf the number of what was sent, by the id of its message or request */
export function newFaultLog(numberOf: (id: string) => number | undefined): FaultLog {
  const running = new Map<string, Running>()
  const faults: RecordedFault[] = []

  function add(fault: RecordedFault): void {
    faults.push(fault)
    if (faults.length > MOST_FAULTS) faults.shift()
  }

  /** The one message that a call is for, if that is known. */
  function aimOf({ requests = [] }: CallEvent, { messages }: Running) {
    const own = requests.flatMap((request) => numberOf(request) ?? [])
    const [request, ...others] = requests
    // An id that the handler reads from the payload is none of those that were sent.
    const named = own.length === 0 && others.length === 0 && request !== undefined
    const message = own[0] ?? (messages.length === 1 ? sentAs(messages) : undefined)
    return {
      ...(message !== undefined && { message }),
      ...(named && { request }),
    }
  }

  function sentAs(messages: Running['messages']): number | undefined {
    return messages
      .flatMap(({ messageId, uniqueRequestId = messageId }) => [messageId, uniqueRequestId])
      .map(numberOf)
      .find((number) => number !== undefined)
  }

  function addCall(event: CallEvent, of: Running, fault: NextFault): void {
    const { queue: consumer, action, effect } = event
    const earlier = [...of.calls.values()].filter(
      (each) => each.call < event.call && isAlike(each, event),
    )
    const nth = earlier.length + 1
    add({
      consumer,
      ...aimOf(event, of),
      fault,
      action,
      ...(effect !== undefined && { effect }),
      ...(nth > 1 && { nth }),
    })
  }

  function addInvocation({ queue: consumer }: FaultStruck, of: Running, fault: NextFault): void {
    const message = sentAs(of.messages)
    add({ consumer, ...(message !== undefined && { message }), fault })
  }

  function called(event: CallEvent, of: Running): void {
    if (of.calls.size < MOST_CALLS) of.calls.set(event.call, event)
    const { fault, call } = event
    if (fault !== undefined) {
      if (fault === 'conflict') of.conflicts.delete(call)
      // Stale reads are heard of apart.
      if (fault !== 'staleRead') addCall(event, of, fault)
    } else if (of.conflicts.delete(call)) {
      addCall(event, of, 'conflict')
    } else if (of.death !== undefined && event.outcome === 'never') {
      // It had left: it took effect, and its answer was not read.
      delete of.death
      addCall(event, of, 'killAfter')
    }
  }

  function struck(event: FaultStruck, of: Running): void {
    const { fault, call = 0 } = event
    if (fault === 'killBeforeDelete' || fault === 'freeze') addInvocation(event, of, fault)
    if (fault === 'sandboxDeath') of.death = event
    if (fault === 'conflict') of.conflicts.add(call)
    const read = of.calls.get(call)
    if (fault === 'staleRead' && read !== undefined) addCall(read, of, 'staleRead')
  }

  /** It died between two calls, or before the first. */
  function died(event: FaultStruck, of: Running): void {
    const last = [...of.calls.values()].findLast(({ outcome }) => outcome !== 'never')
    if (last === undefined) addInvocation(event, of, 'killBefore')
    else addCall(last, of, 'sandboxDeath')
  }

  return {
    observe: (event) => {
      if (event.type === 'begun') {
        const { messages } = event
        running.set(event.awsRequestId, { messages, calls: new Map(), conflicts: new Set() })
      }
      const of = 'awsRequestId' in event ? running.get(event.awsRequestId ?? '') : undefined
      if (of === undefined) return
      if (event.type === 'call') called(event, of)
      if (event.type === 'fault') struck(event, of)
      if (event.type !== 'ended') return
      if (of.death !== undefined) died(of.death, of)
      running.delete(event.awsRequestId)
    },
    newest: () => faults,
  }
}

function isAlike(one: CallEvent, other: CallEvent): boolean {
  return (
    one.action === other.action &&
    one.effect === other.effect &&
    String(one.requests) === String(other.requests)
  )
}
