import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Clock } from '../../clock.ts'
import type { Logger } from '../../logger.ts'
import type { Store } from '../../store/store.ts'
import type { ScheduleContext } from './scheduleContext.ts'
import { messagingOf } from './messaging.ts'
import { outsideOf } from './outside.ts'
import { memoryQueueUrl, memoryTopicArn } from '../queues/arns.ts'
import type { InvocationInput } from './sentEffects.ts'
import { storeOf } from './stores.ts'
import type { Actor } from './simulation.ts'

/** What a handler is built from: all that it does through these can be hit by a fault, and is counted. */
export interface CrashCloud {
  /** The memory store. */
  readonly store: Store
  readonly sqs: SQSClient
  readonly sns: SNSClient
  /** Time stands still while a handler works; it passes while one sleeps by it, and between deliveries. */
  readonly clock: Clock
  readonly logger: Logger
  queueUrl(name: string): string
  topicArn(name: string): string
  /**
   * A call to a system outside, such as a charge. One with an idempotency key has one effect however often it is made, one
   * without has an effect each time. `request`: what it is about, such as the order; a key that comes with another one is
   * reported, since nothing came of the second. @returns an answer that is the same for the same name and key
   */
  outside(
    name: string,
    key?: { readonly idempotencyKey: string },
    request?: unknown,
  ): Promise<string>
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** The cloud as one invocation sees it. */
export function cloudOf(
  context: ScheduleContext,
  actor: Actor,
  received: InvocationInput,
): CrashCloud {
  return {
    store: storeOf(context, actor),
    ...messagingOf(context, actor, received),
    clock: { ...actor.clock, sleep: (milliseconds) => sleep(context, actor, milliseconds) },
    logger: silent,
    queueUrl: memoryQueueUrl,
    topicArn: memoryTopicArn,
    outside: outsideOf(context, actor),
  }
}

/** Whoever sleeps waits its turn, and time passes when it comes. */
function sleep({ simulation }: ScheduleContext, actor: Actor, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const fire = (): void => {
      simulation.now += Math.ceil(milliseconds)
      resolve()
    }
    simulation.timers.push({ actor, timer: { milliseconds, fire } })
  })
}
