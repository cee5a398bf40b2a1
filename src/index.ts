export { recordHandler, type SqsHandler } from './batch/recordHandler.ts'
export type { PayloadOf, RecordHandlerOptions, RetryOptions } from './batch/options.ts'
export type { Settlement } from './claim/settlement.ts'
export type { Clock } from './clock.ts'
export type { Duration } from './duration.ts'
export type {
  InvocationContext,
  OnceOptions,
  OutsideCall,
  PublishOptions,
  RecordContext,
  RecordHandlerContext,
  SendOptions,
  SentMessage,
  Verified,
  Verify,
} from './context/context.ts'
export type { HandlerResult } from './context/handlerResult.ts'
export type { SqlContext, SqlEffects } from './context/sqlEffects.ts'
export type { Stored } from './context/stored.ts'
export type {
  Attribute,
  Attributes,
  LineclearAttributes,
  Envelope,
} from './record/envelope/envelope.ts'
export { eventBridgeEvents, type EventBridgeOptions } from './record/events/eventBridgeEvents.ts'
export {
  type S3NotificationOptions,
  s3Notifications,
  type S3Notifications,
} from './record/events/s3Notifications.ts'
export type { S3ObjectEvent } from './record/events/s3ObjectEvent.ts'
export type { EventFormat, OpenedEvent } from './record/envelope/eventFormat.ts'
export type { Delays } from './delay/delays.ts'
export { circuitBreaker, type CircuitBreakerOptions } from './brake/circuitBreaker.ts'
export type { Admission, Brake, BrakedConsumer, BrakeGate } from './brake/brake.ts'
export { storedDelays } from './delay/storedDelays.ts'
export {
  ConfigError,
  type ErrorCode,
  hasCode,
  InProgressError,
  LateCallError,
  QueueRefusedError,
  RejectedError,
  RequestFullError,
  RetryableError,
  type SendResult,
  StaleError,
  StoreUnavailableError,
  type Unavailable,
  SupersededError,
  TerminalError,
  UnknownOutcomeError,
} from './errors.ts'
export {
  type ReturnedWrites,
  writeHandler,
  type WriteHandlerOptions,
} from './returned/writeHandler.ts'
export type { ReturningContext } from './returned/returningContext.ts'
export { defineFlow, type Flow, type Targets } from './flow/defineFlow.ts'
export type {
  AwaitStepOptions,
  CompleteContext,
  FlowContext,
  HandOverOptions,
} from './flow/context.ts'
export type { AwaitOptions, FlowOptions, StageOptions } from './flow/options.ts'
export type { ResetOptions } from './flow/reset.ts'
export type { StartOptions } from './flow/start.ts'
export type { MadeEffect, Undo, UndoHandler, UndoHandlers } from './batch/undo.ts'
export { compensate } from './undo/compensate.ts'
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
export type {
  AddingWrite,
  CheckWrite,
  DeleteWrite,
  ItemKey,
  NotApplied,
  PutWrite,
  UpdateWrite,
  Write,
  Written,
} from './context/guard/write.ts'
export { type FailureClass, classifyCall } from './idempotency/classify.ts'
export type { LockStatus } from './idempotency/lockStatus.ts'
export type { CallEffects } from './idempotency/callEffects.ts'
export type { Expression } from './idempotency/expression.ts'
export type { EndOutcome } from './idempotency/writeEnd.ts'
export { idempotencyKeyHeader } from './idempotency/http/idempotencyKeyHeader.ts'
export { idempotent } from './idempotency/idempotent.ts'
export type { EffectOptions, IdempotentOptions } from './idempotency/idempotentOptions.ts'
export type { KeyOptions } from './idempotency/keyConfig.ts'
export {
  type Lock,
  type LockTokenOptions,
  type LockTokens,
  lockTokens,
} from './idempotency/lockTokens.ts'
export {
  type OnceForever,
  onceForever,
  type OnceForeverOptions,
} from './idempotency/onceForever.ts'
export type { EnqueueOptions } from './idempotency/pendingEvents.ts'
export type { IdempotencyKey } from './idempotency/readKey.ts'
export { callContext } from './invocation/callContext.ts'
export { callEffects } from './invocation/callEffects.ts'
export { invocationHandler } from './invocation/invocationHandler.ts'
export type { CallEffectsOptions, InvocationHandlerOptions } from './invocation/options.ts'
export { type EmfOptions, emfMetrics } from './metrics/emfMetrics.ts'
export type { Metrics } from './metrics/metrics.ts'
export type { Tracing } from './tracing/tracing.ts'
export { jsonLogger, type LogFields, type Logger } from './logger.ts'
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
} from './producer/options.ts'
export { producer } from './producer/producer.ts'
export { type Exponential, exponential, type RetryDelays } from './queue/retryDelay.ts'
export type { SnsClient } from './queue/snsClient.ts'
export type { Time } from './time.ts'
export type { ResultStore } from './context/results/resultStore.ts'
export type { RawWrite, Store, UserItem, UserValue } from './store/store.ts'
