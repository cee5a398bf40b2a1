import { toMilliseconds } from '../../../base/options.ts'
import type { Duration } from '../../../base/time.ts'
import type { DeadLetter } from './deadLetter.ts'

/** Selects the dead letters that meet all given conditions. Default: all. */
export interface Selection {
  /** Name of a group, from `groupDeadLetters`, or of a cause, which takes the groups of all origins. */
  readonly group?: string | undefined
  /** One of these: a `uniquerequestid` of the dead letter or of the flow run that it belongs to; or an SQS message id. */
  readonly ids?: readonly string[] | undefined
  /** `exhausted`, `terminal`, `rejected`, `too old`, `unknown`, `conflict` …; `moved`: by SQS itself. */
  readonly reason?: string | undefined
  /** On the queue for at least this long. */
  readonly olderThan?: Duration | undefined
  /** Part of the body or of the error, verbatim. */
  readonly match?: string | undefined
}

/** @throws ConfigError when a time cannot be read */
export function matcher(selection: Selection, now: number): (deadLetter: DeadLetter) => boolean {
  const { group, reason, olderThan, match } = selection
  const ids = selection.ids && new Set(selection.ids)
  const before = olderThan === undefined ? undefined : now - toMilliseconds('olderThan', olderThan)
  return (deadLetter) =>
    (group === undefined || deadLetter.group === group || deadLetter.cause?.name === group) &&
    (ids === undefined || idsOf(deadLetter).some((id) => ids.has(id))) &&
    (reason === undefined || deadLetter.reason === reason) &&
    (before === undefined || deadLetter.sentAt <= before) &&
    (match === undefined ||
      deadLetter.envelope.body.includes(match) ||
      deadLetter.error.includes(match))
}

function idsOf({ uniqueRequestId, record, envelope }: DeadLetter): readonly string[] {
  const run = envelope.carried.flow?.id
  return [uniqueRequestId, record.messageId, ...(run === undefined ? [] : [run])]
}
