// @acts

import { eventLoop } from '../../base/clock.ts'

interface CoalesceOptions {
  /** The number of waiting requests at which they are sent at once. */
  readonly maxEntries: number
  /** The longest wait for further requests, milliseconds. */
  readonly maxWait: number
  /** Whether more requests may come soon. If not, the call is made in this turn of the event loop. */
  readonly expectsMore: () => boolean
}

/** Collects single requests into plural calls, because the round trip is the cost. Each request gets its own outcome. */
export function coalesce<Request, Outcome>(
  call: (requests: readonly Request[]) => Promise<readonly Outcome[]>,
  options: CoalesceOptions,
): (request: Request) => Promise<Outcome> {
  let waiting: WaitingRequest<Request, Outcome>[] = []
  let timer: NodeJS.Timeout | undefined

  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject })
      if (waiting.length >= options.maxEntries) flush()
      else if (waiting.length === 1) eventLoop().setImmediate(whenIdle)
    })

  function whenIdle(): void {
    if (waiting.length === 0 || timer !== undefined) return
    if (options.expectsMore()) timer = eventLoop().setTimeout(flush, options.maxWait)
    else flush()
  }

  function flush(): void {
    eventLoop().clearTimeout(timer)
    timer = undefined
    const batch = waiting
    waiting = []
    if (batch.length > 0) void callTogether(batch, call)
  }
}

interface WaitingRequest<Request, Outcome> {
  readonly request: Request
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (reason: unknown) => void
}

async function callTogether<Request, Outcome>(
  batch: readonly WaitingRequest<Request, Outcome>[],
  call: (requests: readonly Request[]) => Promise<readonly Outcome[]>,
): Promise<void> {
  try {
    const outcomes = await call(batch.map(({ request }) => request))
    for (const [index, { resolve, reject }] of batch.entries()) {
      // @protects each request gets its own outcome
      // @without outcomes[0]
      const outcome = outcomes[index]
      if (index < outcomes.length) resolve(outcome as Outcome)
      else reject(new Error('a plural call gave fewer outcomes than requests'))
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
