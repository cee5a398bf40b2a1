import { channel } from 'node:diagnostics_channel'
import { messageOf } from '../../../library/base/errors.ts'
import { isObject, isPromiseLike } from '../../../library/base/kindOf.ts'
import { jsonLogger, type Logger } from '../../../library/base/logger.ts'
import type { Depth } from '../engines/queueContents.ts'
import type { CloudChanged, LocalEvent, MappingChanged, Observer } from './event.ts'

/** The name of the channel of `node:diagnostics_channel` on which every local cloud and mapping of this process publishes. */
const CHANNEL = channel('lineclear.local')

/** The clouds and mappings of this process that are up, each as its start was published. */
const up = new Set<CloudChanged | MappingChanged>()

/** @returns a function that says that it is down */
export function isUp(started: CloudChanged | MappingChanged): () => void {
  up.add(started)
  return () => void up.delete(started)
}

export type Emit = (event: LocalEvent) => void

/**
 * Says where events go now: undefined without a listener, and then no event is made.
 * @param observe gets the events in addition to the channel
 */
export type Listening = () => Emit | undefined

export function listening(observe: Observer | undefined, logger: Logger): Listening {
  const own = observe && safely(observe, logger)
  const emit: Emit = (event) => {
    own?.(event)
    CHANNEL.publish(event)
  }
  return () => (own !== undefined || CHANNEL.hasSubscribers ? emit : undefined)
}

/**
 * Calls `observer` with the live events of every local cloud and mapping of this process, from now on: it sees invocations
 * that begin later. First it gets the start of each cloud and mapping that is up. The same events are on the channel `lineclear.local` of `node:diagnostics_channel`; a subscriber there that throws
 * ends the process, as on every channel of Node.js.
 * @param observer is not awaited; what it throws or rejects with is logged once
 * @returns a function that stops it
 * @example
 * const stop = observeLocalClouds((event) => {
 *   if (event.type === 'call') console.log(`#${event.invocation} ${event.words}`)
 * })
 */
export function observeLocalClouds(
  observer: Observer,
  logger: Logger = jsonLogger('WARN'),
): () => void {
  const safe = safely(observer, logger)
  for (const started of up) safe(started)
  const subscriber = (event: unknown): void => safe(event as LocalEvent)
  CHANNEL.subscribe(subscriber)
  return () => {
    CHANNEL.unsubscribe(subscriber)
  }
}

/** Never throws. An observer that fails for each event would fill the log, so its first failure is logged. */
function safely(observer: (event: LocalEvent) => unknown, logger: Logger): Emit {
  let hasFailed = false
  const failed = (error: unknown): void => {
    if (hasFailed) return
    hasFailed = true
    logger.error('An observer of the local cloud failed. Nothing else is affected.', {
      error: messageOf(error),
    })
  }
  return (event) => {
    try {
      const answer = observer(event)
      if (isObject(answer) && isPromiseLike(answer)) Promise.resolve(answer).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}

/** How often the queues are looked at, because the engine has no event for a message that becomes visible again. Milliseconds. */
const EVERY_MS = 100

/**
 * Publishes the depth of each queue that has changed since it was looked at last; the first time of each that is not empty.
 * Without a listener no queue is looked at.
 * @returns a function that stops it
 */
export function watchDepths(
  queues: readonly string[],
  depthOf: (queue: string) => Depth,
  listening: Listening,
): () => void {
  const known = new Map<string, string>()
  const timer = setInterval(() => {
    const emit = listening()
    if (emit === undefined) return known.clear()
    for (const queue of queues) {
      const { ready, inFlight, delayed } = depthOf(queue)
      const now = `${ready} ${inFlight} ${delayed}`
      if (now === (known.get(queue) ?? NOTHING)) continue
      known.set(queue, now)
      emit({ type: 'depth', at: Date.now(), queue, ready, inFlight, delayed })
    }
  }, EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

const NOTHING = '0 0 0'
