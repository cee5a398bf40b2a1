import { systemClock } from '../../../clock.ts'
import { toMilliseconds, type Duration } from '../../../duration.ts'
import { messageOf } from '../../../errors.ts'
import { functionArnOf } from '../description/arn.ts'
import { checkIs, hasMethod, refuseUnknown } from '../../queues/checkOptions.ts'
import type { LocalCloud } from '../cloud/cloud.ts'
import { startPoller, type Poller } from './poller.ts'
import { checkFaults, type Faults } from '../faults/faults.ts'
import type { QueueHandler } from './invoke.ts'
import { checkConsumerOptions, CONSUMER_OPTIONS, type ConsumerOptions } from './options.ts'
import { queueSourceOf, readQueue } from './queueSource.ts'
import { noCounts, type Counts } from './report.ts'
import { sandboxes } from './sandboxes.ts'
import { warnOfShortVisibility } from './visibilityAdvice.ts'

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
}

/** A running event source mapping. */
export interface QueueMapping extends AsyncDisposable {
  readonly counts: Readonly<Counts>
  /**
   * Resolves when the queue has no message, neither ready nor delayed nor in flight, and no invocation runs.
   * @throws Error with what is left after `timeout`, by default 30 s
   */
  drained(options?: { readonly timeout?: Duration }): Promise<void>
  /** Stops polling and waits for running invocations. `cloud.stop()` does it too. May be called again. */
  stop(): Promise<void>
}

/** fauxqs accepts fractions of a second. Short, because `stop` waits for the running poll. */
const WAIT_SECONDS = 0.2

/**
 * Maps a queue of the local cloud to a handler in this process, as Lambda's event source mapping does.
 * @throws ConfigError on an unknown queue, option or fault, and where AWS refuses the mapping
 * @example
 * const cloud = await startLocalCloud({ queues: { orders: { visibilityTimeout: 3 } } })
 * const handler = recordHandler({ name: 'orders', store, sqs: cloud.sqs }, work)
 * const faults = { seed: 1, kill: 0.05, loseAnswer: 0.1 }
 * const mapping = mapQueue({ cloud, queue: 'orders', handler, faults, functionTimeout: '1s' })
 * await mapping.drained({ timeout: '60s' })
 */
export function mapQueue(options: MappingOptions): QueueMapping {
  refuseUnknown('mapQueue', options, [...CONSUMER_OPTIONS, 'cloud', 'queue', 'faults', 'restart'])
  const { cloud, queue, restart, faults = {} } = options
  checkIs('cloud', hasMethod(cloud, 'onStop'), 'what startLocalCloud gives', cloud)
  checkIs('queue', typeof queue === 'string', 'the name of a queue of the cloud', queue)
  checkIs('restart', ['function', 'undefined'].includes(typeof restart), 'a function', restart)
  const { functionName = queue.replace('.', '-') } = options
  checkFaults(faults)
  const queueUrl = cloud.queueUrl(queue)
  const queueArn = cloud.queueArn(queue)
  const fifo = queue.endsWith('.fifo')
  const settings = checkConsumerOptions(options, fifo)
  const counts = noCounts()
  const consumer = startPoller({
    settings,
    queueArn,
    fifo,
    faults,
    counts,
    sandboxes: sandboxes(settings.handler, restart),
    began: performance.now(),
    source: queueSourceOf(cloud.sqs, queueUrl),
    lambda: { name: functionName, arn: functionArnOf(queueArn, functionName) },
    waitSeconds: WAIT_SECONDS,
  })
  cloud.onStop(consumer.stop)
  readQueue(cloud.sqs, queueUrl).then(
    ({ visibilitySeconds }) => warnOfShortVisibility(queueArn, visibilitySeconds, settings),
    (error: unknown) =>
      settings.logger.warn('The queue could not be read.', { error: messageOf(error) }),
  )
  return {
    counts,
    drained: ({ timeout = 30_000 } = {}) =>
      untilDrained(cloud, queue, consumer, toMilliseconds('drained.timeout', timeout)),
    stop: consumer.stop,
    [Symbol.asyncDispose]: consumer.stop,
  }
}

async function untilDrained(
  cloud: LocalCloud,
  queue: string,
  consumer: Poller,
  timeout: number,
): Promise<void> {
  const until = Date.now() + timeout
  for (;;) {
    const { ready, delayed, inFlight } = cloud.inspectQueue(queue)
    const running = consumer.running()
    if (ready.length + delayed.length + inFlight.length + running === 0) return
    if (Date.now() > until) {
      throw new Error(
        `${queue} was not drained within ${timeout} ms: ${ready.length} ready, ${delayed.length} delayed, ${inFlight.length} in flight, ${running} invocations running`,
      )
    }
    await systemClock.sleep(10)
  }
}
