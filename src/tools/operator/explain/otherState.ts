import { GRACE } from '../item/task.ts'
import type { Item } from '../../../library/protocol/store/store.ts'
import { formatValue, secondsIn, timeIn } from '../text/humanTime.ts'
import { fate } from './fates.ts'
import type { Own, OtherFacts, EventFacts, DelayedFacts } from './facts.ts'
import { displayId } from '../text/itemId.ts'
import type { Delayed } from '../../../library/protocol/claim/delayed/delayedRow.ts'
import type { Advice } from '../item/advice.ts'
import { advise, type AdvisedCommand, decideCommand, note } from '../item/advise.ts'

export function otherState({ ttl, ...item }: Item): Own<OtherFacts> {
  const keptUntil = secondsIn(ttl)
  const rest = keptUntil === undefined && ttl !== undefined ? { ...item, ttl } : item
  return { kind: 'other', status: 'stored', keptUntil, attributes: attributesOf(rest) }
}

const KEY = new Set(['pk', 'sk'])
/** Payloads, answers, results, and dead letters that an operator has discarded. */
const CONTENT = new Set(['answer', 'body', 'message', 'result', 'text'])

/** Attributes as they are stored, without the key; only the size of those that may hold content. */
function attributesOf(item: Item): OtherFacts['attributes'] {
  return Object.entries(item)
    .filter(([name]) => !KEY.has(name))
    .map(([name, value]) =>
      CONTENT.has(name)
        ? { name, bytes: Buffer.byteLength(formatValue(value)) }
        : { name, value: formatValue(value) },
    )
}

export function eventState({ status, created, queued }: Item): Own<EventFacts> {
  const times = { acceptedAt: timeIn(created), queuedAt: timeIn(queued) }
  if (status === 'accepted') return { kind: 'event', status, ...times, fates: [] }
  return {
    kind: 'event',
    status: status === 'queued' ? 'queued' : 'taken',
    ...times,
    fates: [fate('dropped', 'dropped as a duplicate')],
  }
}

export type DelayedState = Own<DelayedFacts, 'since' | 'endedAt'>

export function delayedState(row: Delayed, now: number): DelayedState {
  const { due, dueAt, queue, by, uniqueRequestId: request, recordPk } = row
  const run = recordPk === undefined ? undefined : displayId(recordPk)
  return { kind: 'delayed', status: statusOf(row, now), due, dueAt, queue, by, request, run }
}

function statusOf({ status, due, dueAt = due }: Delayed, now: number): DelayedFacts['status'] {
  if (status !== 'due') return status
  if (dueAt > due) return 'heldBack'
  return due > now ? 'waiting' : 'due'
}

const SWEEP: AdvisedCommand = { action: 'sweep', last: ['--apply'] }

export function adviseDelayed(row: Delayed, id: string, now: number): readonly Advice[] {
  const { recordPk, uniqueRequestId: request, due } = row
  const status = statusOf(row, now)
  if (status === 'sent' || status === 'void') return []
  return [
    status === 'heldBack' && recordPk !== undefined
      ? advise(
          `its run has died: it is sent after the redrive of ${request}, or when SQS no longer keeps the dead letter. `,
          { action: 'explain', positionals: { id: displayId(recordPk) } },
          { cure: true },
        )
      : status === 'due' && due < now - GRACE
        ? advise('the sweeper should have sent it: ', SWEEP, { cure: true })
        : note('nothing to do, the sweeper sends it', { cure: true }),
    advise('if it must not be sent: ', decideCommand(id, 'drop')),
  ]
}
