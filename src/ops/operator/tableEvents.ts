import { readStageRecord } from '../../claim/stage/stageRecord.ts'
import { requestIn } from '../../claim/stage/version.ts'
import type { Item } from '../../store/store.ts'
import { keyIn, partsOf } from './address.ts'
import { type Happening, textOf } from './timelineEvent.ts'
import { stepNameOf } from './task.ts'
import { valueText } from './valueText.ts'

/** An item remembers the last claim and the end, and the last change by a person. */
export function tableHappenings(item: Item): readonly Happening[] {
  const { pk, sk } = keyIn(item)
  const { attempt, created, lockedBy, error, queued, actualCompletion, status } = item
  const { operatorAt, operatorBy, operatorDid, operatorWhy } = item
  const common = {
    from: 'table',
    where: partsOf(pk).owner,
    attempt: typeof attempt === 'number' ? attempt : undefined,
  } as const
  const request = requestOf(item)
  const moments: readonly (readonly [unknown, string, unknown])[] = [
    [created, createdAs(sk), lockedBy === undefined ? error : `by ${valueText(lockedBy)}`],
    [queued, 'queued', undefined],
    [actualCompletion, status === undefined ? 'ended' : `ended as ${valueText(status)}`, error],
    [operatorAt, `${valueText(operatorDid)}, by ${valueText(operatorBy)}`, operatorWhy],
  ]
  const known = moments.flatMap(([at, what, why]): Happening[] =>
    typeof at === 'string' && !Number.isNaN(Date.parse(at))
      ? [{ ...common, at: Date.parse(at), request, what, why: textOf(why) }]
      : [],
  )
  return [...firstSending(item), ...known]
}

function createdAs(sk: string): string {
  if (sk === 'token') return 'claimed'
  if (sk.startsWith('await#')) return `waits for the answer of step ${stepNameOf(sk)}`
  return sk.startsWith('dead#') ? 'died' : 'taken'
}

/** A flow knows of the newest request that ever started when it was sent. */
function firstSending(item: Item): readonly Happening[] {
  const record = keyIn(item).sk === 'stage' ? readStageRecord(item) : undefined
  if (record?.newest === undefined) return []
  const { newest, key } = record
  const at = Number(newest.slice(0, newest.indexOf('#')))
  const where = partsOf(key.pk).owner
  const told = { where, attempt: undefined, request: requestIn(newest), why: undefined }
  return [{ ...told, at, from: 'table', what: 'first sent' }]
}

function requestOf(item: Item): string | undefined {
  const { pk, sk } = keyIn(item)
  if (sk === 'token') return partsOf(pk).rest
  if (sk === 'stage') return textOf(item['uniquerequestid'])
  return textOf(item['uniquerequestid']) ?? textOf(sk.split('#').at(-1))
}
