export interface CoalesceOptions {
  /** A call is made at once when so many entries wait. */
  readonly most: number
  /** Longest wait for company, milliseconds. */
  readonly wait: number
  /** More entries may come soon: wait for them. When not, the call is made in this turn of the event loop. */
  readonly expectsMore: () => boolean
}

/** Gathers single requests into plural calls: the round trip is the cost. Outcomes come back in order. */
export function coalesce<Request, Outcome>(
  call: (requests: readonly Request[]) => Promise<readonly Outcome[]>,
  options: CoalesceOptions,
): (request: Request) => Promise<Outcome> {
  let waiting: Waiting<Request, Outcome>[] = []
  let timer: NodeJS.Timeout | undefined

  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject })
      if (waiting.length >= options.most) flush()
      else if (waiting.length === 1) setImmediate(whenQuiet)
    })

  function whenQuiet(): void {
    if (waiting.length === 0 || timer !== undefined) return
    if (options.expectsMore()) timer = setTimeout(flush, options.wait)
    else flush()
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting
    waiting = []
    if (batch.length > 0) void answer(batch, call)
  }
}

interface Waiting<Request, Outcome> {
  readonly request: Request
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (reason: unknown) => void
}

async function answer<Request, Outcome>(
  batch: readonly Waiting<Request, Outcome>[],
  call: (requests: readonly Request[]) => Promise<readonly Outcome[]>,
): Promise<void> {
  try {
    const outcomes = await call(batch.map(({ request }) => request))
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index]
      if (index < outcomes.length) resolve(outcome as Outcome)
      else reject(new Error('a plural call gave fewer outcomes than requests'))
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
