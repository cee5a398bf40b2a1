import { readStageRecord } from '../../../claim/stage/stageRecord.ts'
import { requestIn } from '../../../claim/stage/version.ts'
import type { Item } from '../../../store/store.ts'
import { itemKey, splitId } from '../../../sweeper/address.ts'
import { nonEmptyText, timeIn, wasResolved } from './factParts.ts'
import type { EventKind, Outcome, TimelineEvent } from './timelineEvent.ts'
import { stepName } from '../item/task.ts'
import { formatValue } from '../text/humanTime.ts'

/** The events that an item records: the last claim, the end, and the last change by an operator. */
export function tableEvents(item: Item): readonly TimelineEvent[] {
  const { pk, sk } = itemKey(item)
  const { attempt, created, lockedBy, error, queued, actualCompletion, status } = item
  const { operatorAt, operatorBy, operatorDid, operatorWhy } = item
  const common = {
    from: 'table',
    where: splitId(pk).owner,
    attempt: typeof attempt === 'number' && attempt > 0 ? attempt : undefined,
    ...UNKNOWN,
    until: sk.startsWith('await#') ? timeOf(item['until']) : undefined,
  } as const
  const request = requestOf(item)
  const moments: readonly (readonly [EventKind, unknown, string, unknown])[] = [
    [
      createdKind(sk),
      created,
      item['undo'] === undefined
        ? createdText(sk)
        : `ended (${formatValue(item['ending'])}), to be undone`,
      lockedBy === undefined ? error : `by ${formatValue(lockedBy)}`,
    ],
    ['queued', queued, 'queued', undefined],
    [
      'settled',
      actualCompletion,
      status === undefined ? 'ended' : `ended as ${formatValue(status)}`,
      error,
    ],
    [
      'operator',
      operatorAt,
      `${formatValue(operatorDid)}, by ${formatValue(operatorBy)}`,
      operatorWhy,
    ],
  ]
  const known = moments.flatMap(([kind, at, what, why]): TimelineEvent[] =>
    typeof at === 'string' && !Number.isNaN(Date.parse(at))
      ? [
          {
            ...common,
            kind,
            outcome: kind === 'settled' ? outcomeOf(item) : undefined,
            at: Date.parse(at),
            request,
            what,
            why: nonEmptyText(why),
          },
        ]
      : [],
  )
  return [...firstSentEvent(item), ...known]
}

/** undefined: an operator has ended it, and not its attempt. */
function outcomeOf({
  status,
  operatorDid,
  operatorAt,
  actualCompletion,
}: Item): Outcome | undefined {
  const apart = Math.abs((timeIn(operatorAt) ?? 0) - (timeIn(actualCompletion) ?? 0))
  if (wasResolved(operatorDid) && apart < BY_OPERATOR) return undefined
  if (status === undefined) return 'succeeded'
  return status === 'unknown' ? 'unknown' : 'dead'
}

/** Between the plan, which has the end, and its change, milliseconds. */
const BY_OPERATOR = 60_000

/** The table records no end of an attempt but the last. */
const UNKNOWN = { outcome: undefined, because: undefined, until: undefined, messageId: undefined }

function timeOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function createdKind(sk: string): EventKind {
  if (sk === 'token') return 'began'
  if (sk.startsWith('await#')) return 'waits'
  return sk.startsWith('dead#') ? 'died' : 'accepted'
}

function createdText(sk: string): string {
  if (sk === 'token') return 'claimed'
  if (sk.startsWith('await#')) return `waits for the answer of step ${stepName(sk)}`
  return sk.startsWith('dead#') ? 'died' : 'taken'
}

/** A flow records when the newest request that started was first sent. */
function firstSentEvent(item: Item): readonly TimelineEvent[] {
  const record = itemKey(item).sk === 'stage' ? readStageRecord(item) : undefined
  if (record?.newest === undefined) return []
  const { newest, key } = record
  const at = Number(newest.slice(0, newest.indexOf('#')))
  const where = splitId(key.pk).owner
  const common = { where, attempt: undefined, request: requestIn(newest), why: undefined }
  return [{ ...UNKNOWN, ...common, at, from: 'table', kind: 'sent', what: 'first sent' }]
}

function requestOf(item: Item): string | undefined {
  const { pk, sk } = itemKey(item)
  if (sk === 'token') return splitId(pk).rest
  if (sk === 'stage') return nonEmptyText(item['uniquerequestid'])
  return nonEmptyText(item['uniquerequestid']) ?? nonEmptyText(sk.split('#').at(-1))
}
