import { readStageRecord } from '../../../claim/stage/stageRecord.ts'
import { requestIn } from '../../../claim/stage/version.ts'
import type { Item } from '../../../store/store.ts'
import { itemKey, splitId } from '../../address.ts'
import { type TimelineEvent, nonEmptyText } from './timelineEvent.ts'
import { stepName } from '../item/task.ts'
import { formatValue } from '../text/formatValue.ts'

/** The events that an item records: the last claim, the end, and the last change by an operator. */
export function tableEvents(item: Item): readonly TimelineEvent[] {
  const { pk, sk } = itemKey(item)
  const { attempt, created, lockedBy, error, queued, actualCompletion, status } = item
  const { operatorAt, operatorBy, operatorDid, operatorWhy } = item
  const common = {
    from: 'table',
    where: splitId(pk).owner,
    attempt: typeof attempt === 'number' && attempt > 0 ? attempt : undefined,
  } as const
  const request = requestOf(item)
  const moments: readonly (readonly [unknown, string, unknown])[] = [
    [
      created,
      item['undo'] === undefined
        ? createdText(sk)
        : `ended (${formatValue(item['ending'])}), to be undone`,
      lockedBy === undefined ? error : `by ${formatValue(lockedBy)}`,
    ],
    [queued, 'queued', undefined],
    [actualCompletion, status === undefined ? 'ended' : `ended as ${formatValue(status)}`, error],
    [operatorAt, `${formatValue(operatorDid)}, by ${formatValue(operatorBy)}`, operatorWhy],
  ]
  const known = moments.flatMap(([at, what, why]): TimelineEvent[] =>
    typeof at === 'string' && !Number.isNaN(Date.parse(at))
      ? [{ ...common, at: Date.parse(at), request, what, why: nonEmptyText(why) }]
      : [],
  )
  return [...firstSentEvent(item), ...known]
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
  return [{ ...common, at, from: 'table', what: 'first sent' }]
}

function requestOf(item: Item): string | undefined {
  const { pk, sk } = itemKey(item)
  if (sk === 'token') return splitId(pk).rest
  if (sk === 'stage') return nonEmptyText(item['uniquerequestid'])
  return nonEmptyText(item['uniquerequestid']) ?? nonEmptyText(sk.split('#').at(-1))
}
