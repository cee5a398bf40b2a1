import { RequestError } from './reply.ts'

/** Lets some of what comes run, and the rest wait for its turn. */
interface Turns {
  /**
   * @param signal while it waits: gives its place up
   * @throws RequestError 503 when too many wait
   */
  take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

/**
 * @param most that run at once
 * @param waiting that may wait
 */
export function turns(most: number, waiting: number): Turns {
  let running = 0
  const queue = new Set<() => void>()
  return {
    async take(work, signal) {
      if (running >= most) await turn(queue, waiting, signal)
      else running += 1
      try {
        return await work()
      } finally {
        const [next] = queue
        if (next === undefined) running -= 1
        else {
          // Its place is handed on, so a later caller cannot take it.
          queue.delete(next)
          next()
        }
      }
    },
  }
}

async function turn(queue: Set<() => void>, waiting: number, signal: AbortSignal): Promise<void> {
  if (queue.size >= waiting) {
    throw new RequestError(503, 'too many requests wait for their turn: try again')
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const leave = (): void => {
    queue.delete(resolve)
    reject(new RequestError(503, 'the page has gone away'))
  }
  queue.add(resolve)
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    await promise
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
