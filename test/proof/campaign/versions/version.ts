import {
  defineFlow,
  idempotent,
  invocationHandler,
  recordHandler,
  TerminalError,
} from '../../../../src/index.ts'
import { redriveDeadLetters } from '../../../../src/tools/operator/dlq/redrive.ts'
import { sweepHandler } from '../../../../src/sweeper/sweepHandler.ts'
import { dynamoDbStore } from '../../../../src/store/dynamodb/index.ts'
import { openTelemetry } from '../../../../src/features/tracing/openTelemetry/index.ts'

/** What campaigns use of a version of Lineclear. */
export interface Version {
  readonly defineFlow: typeof defineFlow
  readonly recordHandler: typeof recordHandler
  readonly idempotent: typeof idempotent
  readonly invocationHandler: typeof invocationHandler
  readonly TerminalError: typeof TerminalError
  readonly dynamoDbStore: typeof dynamoDbStore
  readonly openTelemetry: typeof openTelemetry
  readonly sweepHandler: typeof sweepHandler
  readonly redriveDeadLetters: typeof redriveDeadLetters
  /** It knows the options that are new in the present version. */
  readonly isPresent: boolean
}

/** This checkout. */
export const PRESENT: Version = {
  defineFlow,
  recordHandler,
  idempotent,
  invocationHandler,
  TerminalError,
  dynamoDbStore,
  openTelemetry,
  sweepHandler,
  redriveDeadLetters,
  isPresent: true,
}
