import type { Settlement } from '../../protocol/claim/settlement.ts'
import type { Clock } from '../../base/clock.ts'
import type { Offload } from '../context/results/resultStore.ts'
import type { OnFailure } from '../context/failureEnd.ts'
import type { SqlEffects } from '../context/sqlEffects.ts'
import type { Delays } from '../context/delays.ts'
import type { LogFields, Logger } from '../../base/logger.ts'
import type { Messenger, Sender } from '../../protocol/send/messenger.ts'
import type { RetryDelay, RetryTransport } from '../../protocol/send/retry.ts'
import type { EventFormat } from '../../protocol/record/envelope/envelope.ts'
import type { Message } from '../../protocol/record/message/message.ts'
import type { ReadMessageOptions } from '../../protocol/record/message/readMessage.ts'
import type { Store } from '../../protocol/store/store.ts'
import type { Feature } from './feature.ts'

/** The checked options, with all defaults. */
export interface Consumer extends Pick<
  ReadMessageOptions<unknown>,
  'form' | 'schema' | 'idOf' | 'mustAgree' | 'sentAtOf' | 'maxAge' | 'retention' | 'names'
> {
  readonly name: string
  /** Its names before it was renamed, the oldest first. */
  readonly formerNames: readonly string[]
  readonly store: Store
  readonly topics: readonly string[] | 'any' | undefined
  readonly envelopes: readonly EventFormat[] | undefined
  readonly maxAttempts: number
  readonly delay: RetryDelay
  readonly transport: RetryTransport
  readonly deadLetterQueueUrl: string | undefined
  readonly queueUrl: string | undefined
  readonly concurrency: number
  readonly timeoutMargin: number
  readonly logger: Logger
  /** The features of the consumer, composed into one. */
  readonly features: Feature
  readonly offload: Offload | undefined
  readonly delays: Delays | undefined
  readonly sql: SqlEffects<unknown> | undefined
  readonly messenger: Messenger
  /** The same clients, for callers that need the message ids. */
  readonly sender: Sender
  readonly clock: Clock
  readonly onSettled:
    | ((settlement: Settlement, message: Message<unknown> | undefined) => unknown)
    | undefined
  /** What runs after a bad end. undefined: nothing, and the dead letter is the end. */
  readonly onFailure: OnFailure | undefined
  /** Whether a dead-lettered request may be redriven. Only with `onFailure`. */
  readonly isDeadFinal: boolean
  /** Logs a hint about the configuration once per process. */
  warnOnce(logger: Logger, message: string, fields: LogFields): void
}
