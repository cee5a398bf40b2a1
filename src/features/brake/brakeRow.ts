import { INDEX_ATTRIBUTES, indexed } from '../../claim/statusIndex.ts'
import { isoTime } from '../../base/time.ts'
import type { Condition, Item, StoreKey, Update } from '../../store/store.ts'

/** A brake that is on. Times are epoch milliseconds. */
export interface BrakeRow {
  readonly name: string
  /** Identifies this time of being on. */
  readonly id: string
  readonly since: number
  /** One record may start then. */
  readonly probeAt: number
  /** Text of the error that put it on. */
  readonly error: string
}

const BRAKES = 'brakes'
/** All brakes have one partition key, so they are in one shard of the index. */
export const BRAKE_SHARD: string = indexed(BRAKES, 'braked', 0).statusShard
const LONGEST = 1_000

export function brakeKey(name: string): StoreKey {
  return { pk: BRAKES, sk: name }
}

export function writeBrake({ name, id, since, probeAt, error }: BrakeRow): Item & StoreKey {
  return {
    ...brakeKey(name),
    st: 'on',
    id,
    since,
    probeAt,
    error: error.slice(0, LONGEST),
    created: isoTime(since),
    ...indexed(BRAKES, 'braked', since),
  }
}

/** Where the row is there already, and the brake is off. */
export function putOnAgain(row: BrakeRow): Update {
  const { pk: _pk, sk: _sk, ...set } = writeBrake(row)
  return {
    key: brakeKey(row.name),
    where: [{ field: 'st', is: '=', value: 'off' }],
    set: set as NonNullable<Update['set']>,
  }
}

/** Of all processes only the one whose write is applied may probe. */
export function moveProbe({ name, id, probeAt }: BrakeRow, to: number): Update {
  const where: readonly Condition[] = [
    { field: 'id', is: '=', value: id },
    { field: 'st', is: '=', value: 'on' },
    { field: 'probeAt', is: '=', value: probeAt },
  ]
  return { key: brakeKey(name), where, set: { probeAt: to } }
}

export function takeOff({ name, id }: BrakeRow): Update {
  const where: readonly Condition[] = [{ field: 'id', is: '=', value: id }]
  return { key: brakeKey(name), where, set: { st: 'off' }, remove: INDEX_ATTRIBUTES }
}

/** @returns undefined: the brake is off, or the item cannot be read */
export function readBrake(item: Item | undefined): BrakeRow | undefined {
  const { pk, sk, st, id, since, probeAt, error } = item ?? {}
  if (pk !== BRAKES || typeof sk !== 'string' || st !== 'on' || typeof id !== 'string') return
  if (typeof since !== 'number' || typeof probeAt !== 'number' || typeof error !== 'string') return
  return { name: sk, id, since, probeAt, error }
}
