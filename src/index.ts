export { recordHandler, type SqsHandler } from './consumer/recordHandler.ts'
export type { PayloadOf, RecordHandlerOptions, RetryOptions } from './consumer/options.ts'
export type { Settlement } from './claim/settlement.ts'
export type { Clock } from './base/clock.ts'
export type { Duration } from './base/time.ts'
export type { InvocationContext, RecordContext } from './context/context.ts'
export type { HandlerResult } from './context/handlerResult.ts'
export type { SqlContext, SqlEffects } from './context/sqlEffects.ts'
export type { Envelope } from './record/envelope/envelope.ts'
export { eventBridge } from './record/events/eventBridge.ts'
export { snsTopic } from './record/events/snsTopic.ts'
export { s3Events, type S3Events } from './record/events/s3Events.ts'
export type { S3ObjectEvent } from './record/events/s3ObjectEvent.ts'
export type { EventFormat, TopicFormat } from './record/envelope/envelope.ts'
export type { Delays } from './context/delays.ts'
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
} from './features/returned/writeHandler.ts'
export type { ReturningContext } from './features/returned/returnedStrategy.ts'
export { defineFlow, type Flow } from './flow/defineFlow.ts'
export type { CompleteContext, FlowContext } from './flow/context.ts'
export type { AwaitOptions, FlowOptions, StageOptions } from './flow/options.ts'
export type { StartOptions } from './flow/start.ts'
export {
  absent,
  anyOf,
  atLeast,
  atMost,
  equals,
  exists,
  type Guard,
  type Guards,
  newerThan,
} from './context/guard/guard.ts'
export { readChangeWrite } from './context/guard/readChangeWrite.ts'
export type { Write, Written } from './context/guard/write.ts'
export type { LockStatus } from './call/lockTokens.ts'
export { classifyCall } from './call/classify.ts'
export { callerKey } from './call/http/caller.ts'
export { idempotent } from './call/idempotent.ts'
export type { IdempotentOptions } from './call/idempotentOptions.ts'
export { type Lock, type LockTokens, lockTokens } from './call/lockTokens.ts'
export { type OnceForever, onceForever } from './call/onceForever.ts'
export { invocationHandler } from './call/invocation/invocationHandler.ts'
export type { InvocationHandlerOptions } from './call/invocation/options.ts'
export { emfMetrics } from './features/metrics/emfMetrics.ts'
export type { Metrics } from './features/metrics/metrics.ts'
export type { Tracing } from './features/tracing/tracing.ts'
export { jsonLogger, type Logger } from './base/logger.ts'
export type { Message } from './record/message/message.ts'
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
export { sweepHandler, type SweepReport } from './sweeper/sweepHandler.ts'
export type { Clients } from './send/messenger.ts'
export type { Time } from './base/time.ts'
export type { Offload } from './context/results/resultStore.ts'
export type { Store } from './store/store.ts'
