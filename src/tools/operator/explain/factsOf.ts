import { damaged, notKnown } from '../../../library/protocol/store/format.ts'
import { readAwaiting } from '../../../library/protocol/claim/awaiting/awaiting.ts'
import { readExternalIds } from '../../../library/protocol/claim/awaiting/saveAwaiting.ts'
import { readDeadRun } from '../../../library/protocol/claim/stage/deadRun.ts'
import { readStageRecord } from '../../../library/protocol/claim/stage/stageRecord.ts'
import { readToken } from '../../../library/protocol/claim/token/token.ts'
import { isDelayedKey, readDelayed } from '../../../library/protocol/claim/delayed/delayedRow.ts'
import { type Item, type Value, type NotKnown } from '../../../library/protocol/store/store.ts'
import { isIdempotencyKey, itemKey } from '../../../library/entries/sweeper/address.ts'
import { displayId, splitId } from '../text/itemId.ts'
import { type HomeQueue, NO_HOME } from '../item/task.ts'
import { formatValue, nonEmptyText, timeIn } from '../text/humanTime.ts'
import { adviseDeadRun, adviseRun, adviseStep } from './adviseFlow.ts'
import { adviseRoom, adviseToken } from './adviseToken.ts'
import { adviseDelayed, delayedState, eventState, otherState } from './otherState.ts'
import type { Facts, ItemFacts } from './facts.ts'
import { fateOfToken } from './fates.ts'
import { flowFates } from './flowFates.ts'
import { deadRunState, flowState, lastMarks } from './flowState.ts'
import { logQueries } from './insights.ts'
import { reopenedStep, stepState } from './stageState.ts'
import { type MessageFacts, wasResolved } from './factParts.ts'
import { tokenState } from './tokenState.ts'

export interface FactsOptions {
  readonly now: number
  /** All items under the same id. */
  readonly siblings?: readonly Item[]
  /** A `uniquerequestid`: of which request of a flow the next delivery is judged. Default: the one that holds the key. */
  readonly request?: string | undefined
  /** Where dead letters are redriven from. Default: not known. */
  readonly homeQueue?: HomeQueue
  /** Others have its id: commands name it with its prefix, such as `lock#orders/r1`. */
  readonly isShared?: boolean
}

export function factsOf(item: Item, options: FactsOptions): Facts {
  const { pk, sk } = itemKey(item)
  const about: About = {
    item,
    base: {
      id: options.isShared ? pk : displayId(pk),
      pk,
      sk,
      of: isDelayedKey(pk) ? '' : splitId(pk).owner,
      operator: operatorFacts(item),
    },
    homeQueue: NO_HOME,
    ...options,
    // No state of this item may follow from one that is not known.
    siblings: (options.siblings ?? []).filter((each) => notKnown(each) === undefined),
  }
  const unknown = notKnown(item)
  if (unknown !== undefined) return unreadable(about.base, unknown)
  if (sk === 'token') return tokenFacts(about)
  if (sk === 'stage') return flowFacts(about)
  if (sk === 'once') return { ...about.base, ...eventState(item), advice: [] }
  if (sk.startsWith('dead#')) return deadRunFacts(about)
  if (isDelayedKey(pk)) return delayedFacts(about)
  const awaiting = sk.startsWith('await#') ? readAwaiting(item) : undefined
  if (awaiting === undefined) return { ...about.base, ...otherState(item), advice: [] }
  const { base, now, siblings } = about
  const step = {
    id: base.id,
    externalId: readExternalIds(item)[0],
    homeQueue: about.homeQueue(undefined),
    now,
    siblings,
  }
  return {
    ...base,
    ...stepState(awaiting, item, now),
    advice: adviseStep(awaiting, step),
  }
}

interface About extends FactsOptions {
  readonly item: Item
  readonly base: Omit<ItemFacts, 'advice'>
  readonly siblings: readonly Item[]
  readonly homeQueue: HomeQueue
}

function tokenFacts({ item, base, now, homeQueue }: About): Facts {
  const token = readToken(item)
  const { id, pk } = base
  if (token === undefined) return unreadable(base, damaged(base))
  const lockedBy = nonEmptyText(item['lockedBy'])
  const claimedAt = timeIn(item['created'])
  return {
    ...base,
    ...tokenState(token, now),
    claimedAt,
    claimedBy: lockedBy,
    endedAt: timeIn(item['actualCompletion']),
    sent: readSent(item['sent']),
    fates: [fateOfToken(token, now)],
    advice: [
      ...adviseToken(token, {
        id,
        now,
        lockedBy,
        claimedAt,
        homeQueue: homeQueue(token.by),
        resolved: wasResolved(item['operatorDid']),
      }),
      ...(token.status === 'complete' ? [] : adviseRoom(item, token.applied, token.calls)),
    ],
    logs: logQueries({
      pk,
      lockedBy,
      claimedAt,
      ...(!isIdempotencyKey(pk) && { uniqueRequestId: splitId(pk).rest }),
    }),
  }
}

function flowFacts({ item, base, siblings, now, request }: About): Facts {
  const record = readStageRecord(item)
  if (record === undefined) return unreadable(base, damaged(base))
  const asked = request ?? record.run?.uniqueRequestId
  return {
    ...base,
    ...flowState(record, now, siblings),
    lastMarks: lastMarks(record, item),
    fates: asked === undefined ? [] : flowFates({ record, items: siblings }, asked, now),
    advice: [
      ...adviseRun(record, base.id, now),
      ...(record.run === undefined ? [] : adviseRoom(item, record.run.marks)),
    ],
    logs: logQueries({ pk: base.pk, uniqueRequestId: asked }),
  }
}

function deadRunFacts({ item, base, siblings, now, homeQueue }: About): Facts {
  const run = readDeadRun(item)
  if (run === undefined) return unreadable(base, damaged(base))
  const { uniqueRequestId: request } = run
  // The record identifies the queue of the stage that began the run, and this is of the stage where it died.
  const about = {
    id: base.id,
    request,
    homeQueue: homeQueue(undefined),
    now,
    reopened: reopenedStep(request, siblings),
  }
  return {
    ...base,
    ...deadRunState(run, item, siblings, now),
    advice: [...adviseDeadRun(item, about), ...adviseRoom(item, run.marks)],
    logs: logQueries({ pk: base.pk, uniqueRequestId: request }),
  }
}

function delayedFacts({ item, base, now }: About): Facts {
  const row = readDelayed(item)
  if (row === undefined) return unreadable(base, damaged(base))
  return {
    ...base,
    ...delayedState(row, now),
    since: timeIn(item['created']),
    endedAt: timeIn(item['actualCompletion']),
    advice: adviseDelayed(row, base.id, now),
  }
}

function unreadable(base: Omit<ItemFacts, 'advice'>, { error }: NotKnown): Facts {
  return { ...base, kind: 'unreadable', status: 'unreadable', why: error.message, advice: [] }
}

function operatorFacts(item: Item): ItemFacts['operator'] {
  const { operatorDid: did, operatorBy, operatorAt, operatorWhy } = item
  if (typeof did !== 'string') return undefined
  return {
    did,
    by: formatValue(operatorBy),
    at: timeIn(operatorAt),
    why: formatValue(operatorWhy),
  }
}

/** What a finished request has sent: the name of each message, or its target, and its id. */
function readSent(sent: Value | undefined): readonly MessageFacts[] {
  try {
    const list: unknown = JSON.parse(typeof sent === 'string' ? sent : '[]')
    if (!Array.isArray(list)) return []
    return list.filter(isSent).map(([name, id]) => ({ name, id }))
  } catch {
    return []
  }
}

function isSent(pair: unknown): pair is readonly [string, string] {
  return Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string')
}
