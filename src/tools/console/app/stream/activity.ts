import type {
  CallEvent,
  FaultStruck,
  InvocationBegun,
  InvocationEnded,
  LocalEvent,
  LogLine,
  ObservedMessage,
  QueueDepth,
} from '../../../../testing/local/observe/event.ts'

export interface ShownInvocation {
  /** The id of its request to Lambda. */
  readonly id: string
  /** Counts from 1 in each mapping. */
  readonly number: number
  readonly queue: string
  readonly function: string
  /** Epoch milliseconds. */
  readonly began: number
  readonly messages: readonly ObservedMessage[]
  /** Attempts of calls, in the order in which they ended. */
  readonly calls: readonly CallEvent[]
  /** Faults of the whole invocation, or of a delivery: those of calls are in `calls`. */
  readonly faults: readonly FaultStruck[]
  readonly logs: readonly LogLine[]
  /** undefined: it runs. */
  readonly end: Pick<InvocationEnded, 'at' | 'outcome' | 'failures' | 'error'> | undefined
}

export interface Activity {
  /** Oldest first. */
  readonly invocations: readonly ShownInvocation[]
  readonly depths: ReadonlyMap<string, QueueDepth>
  /** Invocations of a function that have not ended. */
  running(name: string): number
  take(event: LocalEvent): void
}

/** A window of invocations is kept that has at most so many events in all. */
const MOST_EVENTS = 10_000
/** One invocation that calls without end would push out all others. */
const MOST_OF_ONE = 500

type Growing = {
  -readonly [Name in keyof ShownInvocation]: ShownInvocation[Name] extends readonly (infer Each)[]
    ? Each[]
    : ShownInvocation[Name]
}

export function newActivity(most: number = MOST_EVENTS): Activity {
  const byId = new Map<string, Growing>()
  const depths = new Map<string, QueueDepth>()
  const invocations: Growing[] = []
  let kept = 0

  function begin(event: InvocationBegun): void {
    const { awsRequestId: id, queue, function: name } = event
    const begun: Growing = {
      id,
      number: event.invocation,
      queue,
      function: name,
      began: event.at,
      messages: [...event.messages],
      calls: [],
      faults: [],
      logs: [],
      end: undefined,
    }
    byId.set(id, begun)
    invocations.push(begun)
    keep(1)
  }

  function end(invocation: Growing | undefined, ended: NonNullable<ShownInvocation['end']>): void {
    if (invocation !== undefined) invocation.end ??= ended
  }

  function add<Each>(list: readonly Each[] | undefined, event: Each): void {
    if (list === undefined || list.length >= MOST_OF_ONE) return
    ;(list as Each[]).push(event)
    keep(1)
  }

  function keep(events: number): void {
    kept += events
    while (kept > most && invocations.length > 1) {
      const oldest = invocations.shift()
      if (oldest === undefined) return
      byId.delete(oldest.id)
      kept -= 1 + oldest.calls.length + oldest.faults.length + oldest.logs.length
    }
  }

  return {
    invocations,
    depths,
    running: (name) =>
      invocations.filter(({ function: of, end: ended }) => of === name && ended === undefined)
        .length,
    take(event) {
      const of = 'awsRequestId' in event ? byId.get(event.awsRequestId ?? '') : undefined
      if (event.type === 'begun') begin(event)
      else if (event.type === 'call') add(of?.calls, event)
      else if (event.type === 'log') add(of?.logs, event)
      else if (event.type === 'fault' && event.call === undefined) add(of?.faults, event)
      else if (event.type === 'ended') end(of, event)
      else if (event.type === 'depth') depths.set(event.queue, event)
      else if (event.type === 'mapping' && event.state === 'stopped') {
        // Its process is gone: what still runs has died without a word.
        for (const each of invocations.filter((one) => one.queue === event.queue)) {
          const failures = each.messages.map(({ messageId }) => messageId)
          end(each, { at: event.at, outcome: 'killed', failures })
        }
      }
    },
  }
}
