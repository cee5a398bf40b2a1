export { recordHandler, type SqsHandler } from './batch/recordHandler.ts'
export type { PayloadOf, RecordHandlerOptions, RetryOptions } from './batch/options.ts'
export type { Settlement } from './batch/settlement.ts'
export type { Clock } from './clock.ts'
export type { Duration } from './duration.ts'
export type {
  OnceOptions,
  OutsideCall,
  PublishOptions,
  RecordContext,
  RecordHandlerContext,
  SendOptions,
  SentMessage,
  Verified,
  Verify,
} from './effect/context.ts'
export type { Stored } from './effect/stored.ts'
export type {
  Attribute,
  Attributes,
  Carried,
  Envelope,
  EnvelopeSource,
} from './envelope/envelope.ts'
export {
  ConfigError,
  type ErrorCode,
  hasCode,
  InProgressError,
  QueueRefusedError,
  RejectedError,
  RetryableError,
  type SendResult,
  StaleError,
  StoreUnavailableError,
  type Unavailable,
  SupersededError,
  TerminalError,
  UnknownOutcomeError,
} from './errors.ts'
export { defineFlow, type Flow, type Targets } from './flow/defineFlow.ts'
export type {
  AwaitStepOptions,
  CompleteContext,
  FlowContext,
  HandOverOptions,
} from './flow/context.ts'
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
  type OrderedValue,
  type StateGuard,
  unchanged,
} from './guard/guard.ts'
export { readChangeWrite, type ReadChangeWriteTarget } from './guard/readChangeWrite.ts'
export type {
  AddingWrite,
  CheckWrite,
  DeleteWrite,
  ItemKey,
  NotApplied,
  PartialWrite,
  PutWrite,
  UpdateWrite,
  Write,
  Written,
} from './guard/write.ts'
export { type Classified, classifyCall } from './keys/classify.ts'
export type { Existing } from './keys/existing.ts'
export type { Expression } from './keys/expression.ts'
export type { Mark } from './keys/holding.ts'
export { idempotencyKeyHeader } from './keys/http/idempotencyKeyHeader.ts'
export { idempotent } from './keys/idempotent.ts'
export type { IdempotentOptions } from './keys/idempotentOptions.ts'
export type { KeyOptions } from './keys/keeper.ts'
export { type Lock, type LockTokenOptions, type LockTokens, lockTokens } from './keys/lockTokens.ts'
export {
  type EnqueueOptions,
  type OnceForever,
  onceForever,
  type OnceForeverOptions,
} from './keys/onceForever.ts'
export type { Key, KeyPart } from './keys/readKey.ts'
export { type EmfOptions, emfMetrics } from './metrics/emfMetrics.ts'
export type { Metrics } from './metrics/metrics.ts'
export { jsonLogger, type LogFields, type Logger } from './logger.ts'
export type { Receipt } from './awaiting/decideComplete.ts'
export type { IdentitySource, Message, Refusal, RefusalReason } from './message/message.ts'
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
export { type Exponential, exponential, type RetryDelay, type RetryDelays } from './retry/policy.ts'
export type { Time } from './time.ts'
export type { ResultStore } from './results/resultStore.ts'
export type { RawWrite, Store, UserItem, UserKey, UserValue } from './store/store.ts'
