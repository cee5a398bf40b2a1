export { recordHandler, type SqsHandler } from './consumer/recordHandler.ts'
export type { PayloadOf, RecordHandlerOptions, RetryOptions } from './consumer/options.ts'
export type { Settlement } from './claim/settlement.ts'
export type { Clock } from './base/clock.ts'
export type { Duration } from './base/time.ts'
export type {
  InvocationContext,
  CallOptions,
  OutsideCall,
  PublishOptions,
  RecordContext,
  SendOptions,
  SentMessage,
  Verified,
  Verify,
} from './context/context.ts'
export type { HandlerResult } from './context/handlerResult.ts'
export type { SqlContext, SqlEffects } from './context/sqlEffects.ts'
export type { Stored } from './context/context.ts'
export type {
  Attribute,
  Attributes,
  LineclearAttributes,
  Envelope,
} from './record/envelope/envelope.ts'
export { eventBridge, type EventBridgeOptions } from './record/events/eventBridge.ts'
export { snsTopic } from './record/events/snsTopic.ts'
export { type S3EventsOptions, s3Events, type S3Events } from './record/events/s3Events.ts'
export type { S3ObjectEvent } from './record/events/s3ObjectEvent.ts'
export type { EventFormat, OpenedEvent } from './record/envelope/envelope.ts'
export type { Delays } from './context/delays.ts'
export {
  circuitBreaker,
  type CircuitBreakerOptions,
} from './features/circuitBreaker/circuitBreaker.ts'
export type {
  Admission,
  CircuitBreaker,
  GuardedConsumer,
  Circuit,
} from './features/circuitBreaker/circuit.ts'
export { storedDelays } from './features/delay/storedDelays.ts'
export {
  ConfigError,
  type ErrorCode,
  hasCode,
  InProgressError,
  SendFailedError,
  RejectedError,
  RetryableError,
  type SendResult,
  StaleError,
  StoreUnavailableError,
  type Unavailable,
  SupersededError,
  TerminalError,
  UnknownOutcomeError,
} from './base/errors.ts'
export {
  type ReturnedWrites,
  writeHandler,
  type WriteHandlerOptions,
} from './features/returned/writeHandler.ts'
export type { ReturningContext } from './features/returned/returnedStrategy.ts'
export { defineFlow, type Flow, type Targets } from './flow/defineFlow.ts'
export type { AwaitStepOptions, CompleteContext, FlowContext, NextOptions } from './flow/context.ts'
export type { AwaitOptions, FlowOptions, StageOptions } from './flow/options.ts'
export type { StartOptions } from './flow/start.ts'
export {
  absent,
  allOf,
  anyOf,
  atLeast,
  atMost,
  contains,
  equals,
  exists,
  type Guard,
  newerThan,
  type StateGuard,
  unchanged,
} from './context/guard/guard.ts'
export { readChangeWrite, type ReadChangeWriteTarget } from './context/guard/readChangeWrite.ts'
export type { ItemKey, NotApplied, Write, Written } from './context/guard/write.ts'
export { type FailureClass, classifyCall } from './call/classify.ts'
export type { LockStatus } from './call/lockTokens.ts'
export type { Expression } from './call/readKey.ts'
export type { EndOutcome } from './call/heldKey.ts'
export { callerKey } from './call/http/caller.ts'
export { idempotencyKeyHeader } from './call/http/httpEvent.ts'
export { idempotent } from './call/idempotent.ts'
export type { IdempotentOptions } from './call/idempotentOptions.ts'
export type { KeyOptions } from './call/keyConfig.ts'
export { type Lock, type LockTokenOptions, type LockTokens, lockTokens } from './call/lockTokens.ts'
export { type OnceForever, onceForever, type OnceForeverOptions } from './call/onceForever.ts'
export type { EnqueueOptions } from './call/pendingEvents.ts'
export type { IdempotencyKey } from './call/readKey.ts'
export { invocationHandler } from './call/invocation/invocationHandler.ts'
export type { InvocationHandlerOptions } from './call/invocation/options.ts'
export { type EmfOptions, emfMetrics } from './features/metrics/emfMetrics.ts'
export type { Metrics } from './features/metrics/metrics.ts'
export type { Tracing } from './features/tracing/tracing.ts'
export { jsonLogger, type LogFields, type Logger } from './base/logger.ts'
export type { Receipt } from './claim/awaiting/decideAnswer.ts'
export type { Message, Refusal } from './record/message/message.ts'
export type {
  Produced,
  ProducePublishOptions,
  Producer,
  ProducerOptions,
  ProduceSendOptions,
  ToPublish,
  ToSend,
} from './send/producer/options.ts'
export { producer } from './send/producer/producer.ts'
export { sweepHandler, type SweepOptions, type SweepReport } from './sweeper/sweepHandler.ts'
export { type Exponential, exponentialDelay, type RetryDelays } from './send/retry.ts'
export type { Clients } from './send/messenger.ts'
export type { Time } from './base/time.ts'
export type { Offload } from './context/results/resultStore.ts'
export type { RawWrite, Store, UserItem, UserValue } from './store/store.ts'
