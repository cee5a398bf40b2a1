import { attributeOf } from '../../../src/testing/queues/simulatedQueue.ts'
import { carriedBy } from './redrive.ts'
import type { Rig } from './rig.ts'

/** Where sales are announced; nothing consumes it. */
export const BOOKED = 'booked'

const AMOUNT = 5

export function entryOf(id: string) {
  return { TableName: 'ledger', Key: { id }, add: { amount: AMOUNT } } as const
}

export interface Expected {
  /** The number of requests. */
  readonly most: number
  readonly least: number
  /** What the books lack may be reported by a dead letter, or by a line of the log, instead of being done. */
  readonly mayRefuse: boolean
}

/** @returns the entries whose count is not the expected one */
export function audit(
  rig: Rig,
  id: string,
  { most, least, mayRefuse }: Expected,
): readonly string[] {
  const counts = countsOf(rig, id)
  const doubled = Object.entries(counts)
    .filter(([, count]) => count > most)
    .map(([what, count]) => `doubled: ${count} ${what} of ${most} for ${id}`)
  const missing = least - Math.min(...Object.values(counts))
  const reported = toldOf(rig) + rig.dropped()
  if (missing <= (mayRefuse ? reported : 0)) return doubled
  return [...doubled, `lost: ${missing} of ${least} for ${id}, reported ${reported} times`]
}

function countsOf(rig: Rig, tx: string) {
  const amount = rig.store.userItems('ledger').find(({ id }) => id === tx)?.['amount'] ?? 0
  const announced = rig.queues
    .queue(BOOKED)
    .all.filter(({ message }) => message.body === JSON.stringify({ tx }))
  return {
    entries: Number(amount) / AMOUNT,
    charges: rig.charges.get(tx)?.size ?? 0,
    announcements: new Set(announced.map(({ message }) => attributeOf(message, 'uniquerequestid')))
      .size,
  }
}

function toldOf(rig: Rig): number {
  return rig.dead().filter(({ message }) => carriedBy(message).reason !== undefined).length
}

/**
 * A dead letter may account for a token that its consumer could not recognise as its own.
 * @param mayHold it may also speak for a key, which is held until `giveUpAfter`
 */
export function stuck(rig: Rig, mayHold = false): string[] {
  const { store, queues } = rig
  const tokens = store.items().filter(({ status }) => status === 'inProgress' || status === 'dying')
  const keys = store
    .items()
    .filter(({ sk, uniquerequestid }) => sk === 'stage' && uniquerequestid !== undefined)
  const waiting = queues
    .all()
    .filter(
      ([name, { messages }]) => !name.startsWith('dead') && name !== BOOKED && messages.length > 0,
    )
  return [
    ...tokens.slice(toldOf(rig)).map(({ pk, status }) => `stuck: ${JSON.stringify([pk, status])}`),
    ...keys
      .slice(mayHold ? toldOf(rig) : 0)
      .map((item) => `stuck: key held, ${JSON.stringify(item)}`),
    ...waiting.map(([name, { messages }]) => `stuck: ${messages.length} messages on ${name}`),
  ]
}
