import { readAwaiting } from '../../claim/awaiting/awaiting.ts'
import { readToken } from '../../claim/token/token.ts'
import { readParked } from '../../claim/stage/deadRun.ts'
import { readStageRecord } from '../../claim/stage/stageRecord.ts'
import type { Item } from '../../store/store.ts'
import { idOf, isOfKey, keyIn } from './address.ts'
import { describeAwaiting, describeRecord, entryLine } from './describeFlow.ts'
import { describeToken } from './describeToken.ts'
import { callOfKey, copyOfRequest, copyOfToken } from './explainCopies.ts'
import { adviseAwaiting, adviseDead, adviseRecord, adviseToken } from './suggestCommands.ts'
import { timeAndAge } from './humanTime.ts'
import type { Shown } from './showRequest.ts'
import { stepNameOf } from './task.ts'
import { valueText } from './valueText.ts'

/** For people: one item, what it says, what becomes of a copy that comes now, and what may be done. */
export interface Explained {
  readonly title: string
  readonly lines: readonly string[]
}

/** @param request a `uniquerequestid`: what a flow remembers of it is told as well */
export function explain(shown: Shown, now: number, request?: string): readonly Explained[] {
  return shown.items.map((item) => {
    const { title, lines } = explainItem(item, shown.items, now, request)
    return { title, lines: [...lines, ...operatorLine(item)] }
  })
}

function explainItem(
  item: Item,
  all: readonly Item[],
  now: number,
  request: string | undefined,
): Explained {
  const { pk, sk } = keyIn(item)
  const id = idOf(pk)
  if (sk === 'token') return explainToken(id, item, now)
  if (sk === 'stage') return explainRecord(id, item, all, now, request)
  if (sk === 'once') return explainEvent(id, item)
  if (sk.startsWith('dead#')) return explainDead(id, item, now)
  const awaiting = sk.startsWith('await#') ? readAwaiting(item) : undefined
  if (awaiting !== undefined) {
    const title = `step ${stepNameOf(sk)} of ${id}, for ${awaiting.uniqueRequestId}`
    const step = stepNameOf(sk)
    return {
      title,
      lines: [...describeAwaiting(awaiting, now), ...adviseAwaiting(awaiting, id, step)],
    }
  }
  return { title: `${id} ${sk}`, lines: plainLines(item) }
}

function explainToken(id: string, item: Item, now: number): Explained {
  const token = readToken(item)
  const title = `${isOfKey(keyIn(item).pk) ? 'key' : 'request'} ${id}`
  if (token === undefined) return { title, lines: [UNREADABLE] }
  return {
    title,
    lines: [
      ...describeToken(token, now),
      ...claimLine(item, now),
      isOfKey(token.pk)
        ? `a call that comes now: ${callOfKey(token, now)}`
        : `a copy that comes now: ${copyOfToken(token, now)}`,
      ...adviseToken(token, id, now),
    ],
  }
}

function explainRecord(
  id: string,
  item: Item,
  all: readonly Item[],
  now: number,
  request: string | undefined,
): Explained {
  const record = readStageRecord(item)
  const title = `flow ${id}`
  if (record === undefined) return { title, lines: [UNREADABLE] }
  const asked = request ?? record.run?.uniqueRequestId
  const copy =
    asked === undefined ? [] : [`a copy of ${asked}: ${copyOfRequest(record, all, asked, now)}`]
  return {
    title,
    lines: [...describeRecord(record, now), ...copy, ...adviseRecord(record, id, now)],
  }
}

function explainDead(id: string, item: Item, now: number): Explained {
  const parked = readParked(item)
  const title = `dead request of ${id}`
  if (parked === undefined) return { title, lines: [UNREADABLE] }
  const { uniqueRequestId, stages, marks } = parked
  const { error } = item
  return {
    title: `${title}: ${uniqueRequestId}`,
    lines: [
      ...[...stages].map(([name, entry]) => `stage ${name}: ${entryLine(entry, now)}`),
      ...(typeof error === 'string' ? [`error: ${error}`] : []),
      ...(marks.size === 0
        ? []
        : [`effects and calls that are not repeated: ${[...marks].join(', ')}`]),
      ...adviseDead(item, id, uniqueRequestId),
    ],
  }
}

function explainEvent(id: string, { status, created, queued }: Item): Explained {
  const title = `event ${id}, taken once`
  if (status === 'accepted') {
    return {
      title,
      lines: [
        `accepted ${valueText(created)}, not yet on its queue: its duplicate or the sweeper queues it`,
      ],
    }
  }
  const state = status === 'queued' ? `queued ${valueText(queued)}` : `taken ${valueText(created)}`
  return { title, lines: [state, 'a copy that comes now: dropped as a duplicate'] }
}

const UNREADABLE =
  'written by a newer version, or by hand: this version cannot read it, and will not run it'

function claimLine({ lockedBy, created, actualCompletion }: Item, now: number): readonly string[] {
  const at =
    typeof created === 'string' ? timeAndAge(Date.parse(created), now) : 'at an unknown time'
  const claimed = typeof lockedBy === 'string' ? [`claimed ${at} by ${lockedBy}`] : []
  const ended =
    typeof actualCompletion === 'string'
      ? [`ended ${timeAndAge(Date.parse(actualCompletion), now)}`]
      : []
  return [...claimed, ...ended]
}

function operatorLine(item: Item): readonly string[] {
  const { operatorDid, operatorBy, operatorAt, operatorWhy } = item
  if (typeof operatorDid !== 'string') return []
  return [
    `changed by ${valueText(operatorBy)}, ${valueText(operatorAt)}: ${operatorDid} (${valueText(operatorWhy)})`,
  ]
}

const HIDDEN = new Set(['pk', 'sk'])

function plainLines(item: Item): readonly string[] {
  return Object.entries(item)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, value]) => `${name}: ${valueText(value)}`)
}
