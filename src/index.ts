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
  SendOptions,
  SentMessage,
  Verified,
  Verify,
} from './effect/context.ts'
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
  StaleError,
  StoreUnavailableError,
  SupersededError,
  TerminalError,
  UnknownOutcomeError,
} from './errors.ts'
export { allOf, type Guard, newerThan, unchanged } from './guard/guard.ts'
export { readChangeWrite, type ReadChangeWriteTarget } from './guard/readChangeWrite.ts'
export type {
  AddingWrite,
  DeleteWrite,
  PutWrite,
  UpdateWrite,
  Write,
  Written,
} from './guard/write.ts'
export { jsonLogger, type LogFields, type Logger } from './logger.ts'
export type { IdentitySource, Message, Refusal, RefusalReason } from './message/message.ts'
export { type Exponential, exponential, type RetryDelay } from './retry/policy.ts'
export type { Store, UserItem, UserKey, UserValue } from './store/store.ts'
