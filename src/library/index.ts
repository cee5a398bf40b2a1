export { recordHandler, type SqsHandler } from './entries/consumer/recordHandler.ts'
export type { PayloadOf, RecordHandlerOptions, RetryOptions } from './entries/consumer/options.ts'
export type { Settlement } from './protocol/claim/settlement.ts'
export type { Clock } from './base/clock.ts'
export type { Duration } from './base/time.ts'
export type { InvocationContext, RecordContext } from './run/context/context.ts'
export type { FailureEnd, MadeEffect } from './run/context/failureEnd.ts'
export type { HandlerResult } from './run/context/handlerResult.ts'
export type { SqlContext, SqlEffects } from './run/context/sqlEffects.ts'
export type { Envelope } from './protocol/record/envelope/envelope.ts'
export { eventBridge } from './protocol/record/events/eventBridge.ts'
export { snsTopic } from './protocol/record/events/snsTopic.ts'
export { s3Events, type S3Events } from './protocol/record/events/s3Events.ts'
export type { S3ObjectEvent } from './protocol/record/events/s3ObjectEvent.ts'
export type { EventFormat, TopicFormat } from './protocol/record/envelope/envelope.ts'
export type { Delays } from './run/context/delays.ts'
export { circuitBreaker } from './features/circuitBreaker/circuitBreaker.ts'
export type { CircuitBreaker } from './features/circuitBreaker/circuit.ts'
export { storedDelays } from './features/delay/storedDelays.ts'
export {
  ConfigError,
  type ErrorCode,
  InProgressError,
  SendFailedError,
  RejectedError,
  RetryableError,
  StaleError,
  StoreUnavailableError,
  SupersededError,
  TerminalError,
  UnknownOutcomeError,
} from './base/errors.ts'
export {
  type ReturnedWrites,
  writeHandler,
  type WriteHandlerOptions,
} from './entries/consumer/returned/writeHandler.ts'
export type { ReturningContext } from './entries/consumer/returned/returnedStrategy.ts'
export { defineFlow, type Flow } from './entries/flow/defineFlow.ts'
export type { CompleteContext, FlowContext } from './entries/flow/context.ts'
export type { CallOutcome, FlowEffect, FlowEnd } from './entries/flow/flowEnd.ts'
export type { AwaitOptions, FlowOptions, StageOptions } from './entries/flow/options.ts'
export type { StartOptions } from './entries/flow/start.ts'
export {
  absent,
  anyOf,
  atLeast,
  atMost,
  equals,
  exists,
  type Guard,
  newerThan,
} from './run/context/guard/guard.ts'
export { readChangeWrite } from './run/context/guard/readChangeWrite.ts'
export type { Write, Written } from './run/context/guard/write.ts'
export type { LockStatus } from './entries/call/lockTokens.ts'
export { classifyCall } from './entries/call/classify.ts'
export { callerKey } from './entries/call/http/caller.ts'
export { idempotent } from './entries/call/idempotent.ts'
export type { IdempotentOptions } from './entries/call/idempotentOptions.ts'
export { type Lock, type LockTokens, lockTokens } from './entries/call/lockTokens.ts'
export { type OnceForever, onceForever } from './entries/call/onceForever.ts'
export { invocationHandler } from './entries/call/invocation/invocationHandler.ts'
export type { InvocationHandlerOptions } from './entries/call/invocation/options.ts'
export { emfMetrics } from './features/metrics/emfMetrics.ts'
export type { Metrics } from './features/metrics/metrics.ts'
export type { Tracing } from './features/tracing/tracing.ts'
export { jsonLogger, type Logger } from './base/logger.ts'
export type { Message } from './protocol/record/message/message.ts'
export type {
  Produced,
  ProducePublishOptions,
  Producer,
  ProducerOptions,
  ProduceSendOptions,
  ToPublish,
  ToSend,
} from './entries/producer/options.ts'
export { producer } from './entries/producer/producer.ts'
export {
  requestStatus,
  type StatusOfRecord,
  type StatusOfRun,
} from './entries/status/requestStatus.ts'
export type { RequestStatus } from './entries/status/status.ts'
export { sweepHandler, type SweepReport } from './entries/sweeper/sweepHandler.ts'
export type { Clients } from './protocol/send/messenger.ts'
export type { Time } from './base/time.ts'
export type { Offload } from './run/context/results/resultStore.ts'
export type { Store } from './protocol/store/store.ts'
