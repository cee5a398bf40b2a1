import { systemClock } from '../../../library/base/clock.ts'
import {
  aFunction,
  anObject,
  anything,
  having,
  required,
  toMilliseconds,
  trueOrFalse,
} from '../../../library/base/options.ts'
import type { Duration } from '../../../library/base/time.ts'
import { messageOf } from '../../../library/base/errors.ts'
import { functionArnOf } from '../description/description.ts'
import { aText } from '../../queues/checkQueues.ts'
import { isFifoName } from '../../queues/description.ts'
import type { LocalCloud } from '../cloud/openCloud.ts'
import { startPoller, type Poller } from './poller.ts'
import type { Faults, NextFault } from '../faults/faults.ts'
import { type CallMatch, checkMatch } from '../faults/strikes.ts'
import type { MappingChanged, Observer } from '../observe/event.ts'
import { isUp, listening } from '../observe/publish.ts'
import { injection } from './consumerContext.ts'
import type { QueueHandler } from './invoke.ts'
import {
  checkConsumerOptions,
  type ConsumerOptions,
  warnOfShortVisibility,
  noCounts,
  type Counts,
} from './options.ts'
import { queueSourceOf, readQueue } from './queueSource.ts'
import { sandboxes, sharedProcess } from './sandboxes.ts'

/** Options of `mapQueue`: the queue, the handler, and the faults to inject. */
export interface MappingOptions extends ConsumerOptions {
  readonly cloud: LocalCloud
  /** The name of the queue in the cloud's description. */
  readonly queue: string
  /** Faults to inject. Default: none. */
  readonly faults?: Faults
  /**
   * Makes the handler of a sandbox that replaces a dead one, with module state of its own. Default: the new sandbox uses
   * `handler` and its state.
   */
  readonly restart?: () => QueueHandler
  /**
   * As on Lambda Managed Instances: all invocations run in one process, a kill takes all of them, and code that has reached its timeout
   * runs on while its messages are delivered again. Default false.
   */
  readonly managed?: boolean
  /** The function's tags, as a deployment sets them: `lineclear pause` finds functions by them. Default: none. */
  readonly tags?: Readonly<Record<string, string>>
  /**
   * Called with the live events of the consumer: invocations, their SDK calls, faults. It is not awaited, and what it throws is
   * logged once. `observeLocalClouds` sees those of all. Default: none, and no event is made.
   */
  readonly observe?: Observer
}

/** A running event source mapping. */
export interface QueueMapping extends AsyncDisposable {
  /** The name of the queue. */
  readonly queue: string
  readonly queueArn: string
  readonly functionArn: string
  readonly tags: Readonly<Record<string, string>>
  readonly counts: Readonly<Counts>
  /** The faults that invocations get which begin now. */
  readonly faults: Faults
  readonly state: MappingState
  /**
   * Replaces all faults. An invocation keeps those with which it has begun, and so do its deletes; the next one gets the new ones,
   * and `shuffle` holds from the next receive on. Numbers and counts go on, so that a fault is still drawn from `seed` and position;
   * `throttleTables` counts from this call.
   * @throws ConfigError as `mapQueue`
   */
  setFaults(faults: Faults): void
  /**
   * Injects a fault into the next attempt of a call that fits `match`, also of an invocation that is running; it goes before the faults
   * of `faults`. `killBeforeDelete` and `freeze` wait for the end of an invocation with the request. It strikes once.
   * @returns a function that takes it back
   * @throws ConfigError on an unknown fault or part of `match`
   * @example
   * mapping.faultNextCall('killBefore')
   * mapping.faultNextCall('loseAnswer', { effect: 'reserve', request: 'o-1' })
   */
  faultNextCall(fault: NextFault, match?: CallMatch): () => void
  /**
   * Stops polling, as when an event source mapping is disabled: resolves when no invocation runs any more. Messages that were received
   * and not started are visible again.
   */
  pause(): Promise<void>
  /** Polls again. Nothing after `stop`. */
  resume(): void
  /**
   * Resolves when the queue has no message, neither ready nor delayed nor in flight, and no invocation runs, nor code
   * that runs on after its timeout.
   * @throws Error with what is left after `timeout`, by default 30 s
   */
  drained(options?: { readonly timeout?: Duration }): Promise<void>
  /** Stops polling and waits for running invocations. `cloud.stop()` does it too. May be called again. */
  stop(): Promise<void>
}

/** `pausing`: its last invocations still run. */
export type MappingState = 'enabled' | 'pausing' | 'paused' | 'stopped'

const MAPPING = {
  cloud: required(having('what startLocalCloud gives', 'onStop')),
  queue: required({ ...aText, expected: 'the name of a queue of the cloud' }),
  restart: aFunction('() => makeHandler()'),
  managed: trueOrFalse,
  faults: anything,
  tags: anObject,
  observe: aFunction('(event) => {}'),
}

/** fauxqs accepts fractions of a second. Short, because `stop` waits for the running poll. */
const WAIT_SECONDS = 0.2

/**
 * Maps a queue of the local cloud to a handler in this process, as Lambda's event source mapping does.
 * @throws ConfigError on an unknown queue, option or fault, and where AWS refuses the mapping
 * @example
 * const cloud = await startLocalCloud({ queues: { orders: { visibilityTimeout: 3 } } })
 * const handler = recordHandler({ name: 'orders', store, clients: { sqs: cloud.sqs } }, work)
 * const faults = { seed: 1, kill: 0.05, loseAnswer: 0.1 }
 * const mapping = mapQueue({ cloud, queue: 'orders', handler, faults, functionTimeout: '1s' })
 * await mapping.drained({ timeout: '60s' })
 */
export function mapQueue(options: MappingOptions): QueueMapping {
  const settings = checkConsumerOptions('mapQueue', options, MAPPING)
  const { cloud, queue, restart, managed = false, faults = {}, tags = {} } = options
  const { functionName = queue.replace('.', '-') } = options
  const injected = injection(faults)
  const queueUrl = cloud.queueUrl(queue)
  const queueArn = cloud.queueArn(queue)
  const counts = noCounts()
  const listens = listening(options.observe, settings.logger)
  const functionArn = functionArnOf(queueArn, functionName)
  let state: MappingState = 'enabled'
  const changed = (to: MappingChanged['state']): MappingChanged => {
    return { type: 'mapping', at: Date.now(), state: to, queue, function: functionName }
  }
  const turn = (to: MappingState, event: MappingChanged['state']): void => {
    if (state === to) return
    state = to
    listens()?.(changed(event))
  }
  const consumer = startPoller({
    settings,
    queueArn,
    fifo: isFifoName(queue),
    injection: injected,
    listening: listens,
    queue,
    counts,
    sandboxes: (managed ? sharedProcess : sandboxes)(settings.handler, restart),
    runningOn: managed ? new Set() : undefined,
    source: queueSourceOf(cloud.sqs, queueUrl),
    lambda: { name: functionName, arn: functionArn },
    waitSeconds: WAIT_SECONDS,
  })
  const started = changed('started')
  const down = isUp(started)
  listens()?.(started)
  const stop = async (): Promise<void> => {
    await consumer.stop()
    down()
    turn('stopped', 'stopped')
  }
  cloud.onStop(stop)
  readQueue(cloud.sqs, queueUrl).then(
    ({ visibilitySeconds }) => warnOfShortVisibility(queueArn, visibilitySeconds, settings),
    (error: unknown) =>
      settings.logger.warn('The queue could not be read.', { error: messageOf(error) }),
  )
  return {
    queue,
    queueArn,
    functionArn,
    tags,
    counts,
    get faults() {
      return injected.now().faults
    },
    get state() {
      return state
    },
    setFaults: injected.set,
    faultNextCall: (fault, match = {}) => {
      checkMatch(fault, match)
      return injected.strikes.add(fault, match)
    },
    pause: async () => {
      if (state !== 'enabled') return consumer.pause()
      state = 'pausing'
      await consumer.pause()
      // It may have been resumed or stopped meanwhile.
      if (state === 'pausing') turn('paused', 'paused')
    },
    resume: () => {
      if (state !== 'pausing' && state !== 'paused') return
      consumer.resume()
      turn('enabled', 'resumed')
    },
    drained: ({ timeout = 30_000 } = {}) =>
      untilDrained(cloud, queue, { consumer, counts }, toMilliseconds('drained.timeout', timeout)),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function untilDrained(
  cloud: LocalCloud,
  queue: string,
  { consumer, counts }: { readonly consumer: Poller; readonly counts: Readonly<Counts> },
  timeout: number,
): Promise<void> {
  const until = Date.now() + timeout
  for (;;) {
    // In this order: an invocation that begins after the first line still has its messages in flight in the second.
    const running = consumer.running()
    const { ready, delayed, inFlight } = await cloud.queueDepth(queue)
    if (ready + delayed + inFlight + running === 0) return
    if (Date.now() > until) {
      throw new Error(
        `${queue} was not drained within ${timeout} ms: ${ready} ready, ${delayed} delayed, ${inFlight} in flight, ${running} invocations running, after ${counts.deliveries} deliveries and ${counts.deleted} deletes`,
      )
    }
    await systemClock.sleep(10)
  }
}
