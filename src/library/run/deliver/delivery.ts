import { type LogFields, type Logger, withFields } from '../../base/logger.ts'
import type { Hold } from '../../protocol/claim/hold.ts'
import type { IncomingRecord } from './readRecord.ts'
import type { Invocation } from './invocation.ts'

/** One delivery of a record, until it settles. */
export interface Delivery {
  readonly incoming: IncomingRecord
  readonly invocation: Invocation
  /** Puts the request's id on each line, because records run concurrently. */
  readonly logger: Logger
}

/** A delivery that holds the claim of its request: it may write. */
export interface Attempt extends Delivery {
  readonly hold: Hold
}

/** @param fields added to every log line, besides those of the invocation, request id and trace */
export function openDelivery(
  incoming: IncomingRecord,
  invocation: Invocation,
  fields: LogFields = {},
): Delivery {
  const { uniqueRequestId, envelope } = incoming.message
  const { traceparent } = envelope.carried
  const logger = withFields(invocation.logger, {
    uniquerequestid: uniqueRequestId,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(envelope.tenant === undefined ? {} : { tenant: envelope.tenant }),
    ...fields,
  })
  return { incoming, invocation, logger }
}

export function openAttempt(
  incoming: IncomingRecord,
  invocation: Invocation,
  hold: Hold,
  fields: LogFields = {},
): Attempt {
  return { ...openDelivery(incoming, invocation, { ...fields, ...hold.fields }), hold }
}

/** From now on no earlier attempt can change anything outside the table, see Feature.raise. */
export async function raiseFence({ hold, invocation }: Attempt): Promise<void> {
  const { features, retention } = invocation.consumer
  const { fencing } = hold
  await features.raise?.({ fencing, retention, timeLeft: () => invocation.remainingTime() })
}
