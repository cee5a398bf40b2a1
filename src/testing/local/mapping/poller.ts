import type { Message } from '@aws-sdk/client-sqs'
import { systemClock } from '../../../library/base/clock.ts'
import { messageOf } from '../../../library/base/errors.ts'
import { seedOf } from '../faults/faults.ts'
import { shuffled } from '../faults/random.ts'
import {
  splitIntoEvents,
  toReceivedMessage,
  type ReceivedMessage,
  type QueueSource,
} from './queueSource.ts'
import { runBatch } from './runBatch.ts'
import type { ConsumerContext } from './consumerContext.ts'

export interface Poller {
  /** The number of running invocations, with those whose code runs on after its timeout. */
  running(): number
  /** Stops polling, waits for running invocations and returns messages that were received but not started. */
  pause(): Promise<void>
  /** Polls again after a pause. Nothing after a stop. */
  resume(): void
  /** A pause for ever. */
  stop(): Promise<void>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000

/** Receives batches and starts up to `concurrency` invocations. */
export function startPoller(
  consumer: ConsumerContext & { readonly queueArn: string; readonly waitSeconds: number },
): Poller {
  const { settings, source } = consumer
  const running = new Set<Promise<void>>()
  const groups = new Map<string, Promise<void>>()
  let deliveries = 0
  let rounds = 0
  let failuresInRow = 0

  async function poll(halt: AbortSignal): Promise<void> {
    while (!halt.aborted) {
      await slot()
      await systemClock.sleep(pauseAfter(failuresInRow), halt)
      if (halt.aborted) break
      const messages = await receive(halt)
      for (const batch of splitIntoEvents(messages.map(number), settings.batchSize)) {
        await slot()
        if (halt.aborted) await returnUnstarted(consumer, batch)
        else launch(batch)
      }
    }
    await Promise.all(running)
  }

  async function receive(halt: AbortSignal): Promise<readonly Message[]> {
    const { faults } = consumer.injection.now()
    const shuffles = faults.shuffle === true && !consumer.fifo
    const want = settings.batchSize * (shuffles ? settings.concurrency : 1)
    const gathering = { want, window: settings.window, waitSeconds: consumer.waitSeconds }
    try {
      const messages = await pollBatch(source, { ...gathering, topUp: shuffles }, halt)
      return shuffles ? shuffled(messages, seedOf(faults), (rounds += 1)) : messages
    } catch (error) {
      failuresInRow += 1
      settings.logger.warn('The queue could not be read. Retrying.', { error: messageOf(error) })
      return []
    }
  }

  function number(message: Message): ReceivedMessage {
    return toReceivedMessage(message, consumer.queueArn, (deliveries += 1))
  }

  async function slot(): Promise<void> {
    while (running.size >= settings.concurrency) await Promise.race(running)
  }

  /** On a FIFO queue a batch waits for earlier batches of its groups, even when their visibility timeout has ended. */
  function launch(batch: readonly ReceivedMessage[]): void {
    const names = consumer.fifo ? new Set(batch.map(({ group = '' }) => group)) : new Set<string>()
    const earlier = [...names].map((name) => groups.get(name) ?? Promise.resolve())
    const run = Promise.all(earlier).then(() => runAndCount(batch))
    for (const name of names) groups.set(name, run)
    running.add(run)
    void run.then(() => {
      running.delete(run)
      for (const name of names) if (groups.get(name) === run) groups.delete(name)
    })
  }

  /** Lambda polls more slowly while the function fails. An injected kill does not count as a failure of the function. */
  async function runAndCount(batch: readonly ReceivedMessage[]): Promise<void> {
    const outcome = await runBatch(consumer, batch)
    failuresInRow = outcome === 'failed' || outcome === 'timedOut' ? failuresInRow + 1 : 0
  }

  let isStopped = false
  let halting = new AbortController()
  let ended = poll(halting.signal)
  const pause = (): Promise<void> => {
    halting.abort()
    return ended
  }
  return {
    running: () => running.size + (consumer.runningOn?.size ?? 0),
    pause,
    resume: () => {
      if (isStopped || !halting.signal.aborted) return
      halting = new AbortController()
      const { signal } = halting
      ended = ended.then(() => poll(signal))
    },
    stop: () => {
      isStopped = true
      return pause()
    },
  }
}

function pauseAfter(failuresInRow: number): number {
  if (failuresInRow < 2) return 0
  return Math.min(FIRST_PAUSE_MS * 2 ** (failuresInRow - 2), LONGEST_PAUSE_MS)
}

/** Makes the messages visible at once, instead of after the visibility timeout. */
async function returnUnstarted(
  { source, settings }: ConsumerContext,
  batch: readonly ReceivedMessage[],
): Promise<void> {
  try {
    await source.hide(batch.map(({ receiptHandle }) => ({ receiptHandle, seconds: 0 })))
  } catch (error) {
    settings.logger.warn(
      'Messages could not be made visible: they are redelivered when their visibility timeout ends.',
      { error: messageOf(error) },
    )
  }
}

interface PollSettings {
  /** How many messages are wanted. */
  readonly want: number
  /** Milliseconds after the first message. */
  readonly window: number
  /** The longest long poll, seconds. */
  readonly waitSeconds: number
  /** Continue while the queue has visible messages, without waiting for more. */
  readonly topUp: boolean
}

const SHORT_POLL_MS = 50

/**
 * Waits for a first message and receives more until there are enough or the window is over. A poll is never aborted: SQS may
 * already have delivered messages, which would then be invisible and unread.
 */
async function pollBatch(
  source: QueueSource,
  gathering: PollSettings,
  stop: AbortSignal,
): Promise<readonly Message[]> {
  const { want, window, waitSeconds, topUp } = gathering
  const messages = [...(await source.receive(want, waitSeconds))]
  const until = Date.now() + window
  while (messages.length > 0 && messages.length < want && !stop.aborted) {
    const left = until - Date.now()
    if (left <= 0 && !topUp) break
    const more = await source.receive(want - messages.length, wholeSeconds(left, waitSeconds))
    messages.push(...more)
    if (more.length > 0) continue
    if (left <= 0) break
    if (left < 1_000) await systemClock.sleep(Math.min(left, SHORT_POLL_MS), stop)
  }
  return messages
}

/** SQS waits whole seconds, so the rest of a window below a second is spent with short polls. */
function wholeSeconds(milliseconds: number, longest: number): number {
  return Math.max(0, Math.min(longest, Math.floor(milliseconds / 1_000)))
}
