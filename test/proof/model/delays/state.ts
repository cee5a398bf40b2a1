import { writeEntry } from '../../../../src/claim/stage/stageEntry.ts'
import { type EndKind, writeEnds } from '../../../../src/claim/stage/stageRecord.ts'
import { digestOf } from '../../../../src/claim/stage/version.ts'
import { writeDelayed } from '../../../../src/delay/delayedRow.ts'
import type { Item, Update } from '../../../../src/store/store.ts'

/** Small times: the row is due at 1,000. */
export const DUE = 1_000
export const HOUR = 3_600_000
const PK = 'flow#trip/k'
const RUN = { recordPk: PK, uniqueRequestId: 'r1' }

/** One message that the run r1 stores, and everything that decides whether it is sent. Plain data: a state is its own key. */
export interface State {
  readonly row: Item | null
  readonly record: Item
  readonly parked: Item | null
  readonly time: number
  /** Writes of killed processes, which land at any later time. */
  readonly wire: readonly Write[]
  readonly handlers: readonly HandlerAt[]
  readonly sweepers: readonly Sweeper[]
  /** How often each of these may still happen. */
  readonly left: Left
  readonly facts: Facts
}

export type Write =
  | { readonly kind: 'create' }
  | { readonly kind: 'update'; readonly update: Update }
export type HandlerAt = 'create' | 'settle'

export interface Sweeper {
  readonly at: 'read row' | 'read record' | 'read parked' | 'act' | 'send' | 'close'
  readonly row: Item | null
  readonly record: Item | null
  readonly parked: Item | null
  /** The row had been closed, or the run taken back, before this sweeper read it. */
  readonly tooLate: string | null
}

export interface Left {
  readonly faults: number
  readonly handlers: number
  readonly sweeps: number
  readonly supersedes: number
  readonly deaths: number
  readonly redrives: number
  readonly voids: number
}

export interface Facts {
  readonly sends: number
  readonly listed: boolean
  readonly closed: boolean
  readonly takenBack: boolean
  readonly byHand: boolean
  readonly bad: string | null
}

export function begin(left: Left): State {
  const facts = {
    sends: 0,
    listed: false,
    closed: false,
    takenBack: false,
    byHand: false,
    bad: null,
  }
  return {
    row: null,
    record: running('r1'),
    parked: null,
    time: 0,
    wire: [],
    handlers: [],
    sweepers: [],
    left,
    facts,
  }
}

/** The row as the shipped code writes it. */
export const ROW: Item = writeDelayed({
  id: 'm1',
  queue: 'https://sqs.eu-west-1.amazonaws.com/123456789012/next',
  message: { body: '{}', attributes: {} },
  due: DUE,
  now: 0,
  by: 'trip.book',
  uniqueRequestId: 'r1',
  run: RUN,
  keepFor: 86_400_000,
})

export function running(uniquerequestid: string): Item {
  const stage = writeEntry({ status: 'dead', epoch: 1, reason: 'abandoned' })
  return {
    pk: PK,
    sk: 'stage',
    epoch: 1,
    fence: 1,
    uniquerequestid,
    giveUpAt: 1e12,
    'stage:book': stage,
  }
}

export function ending(): Item {
  return { ...running('r1'), ending: 'superseded', notBefore: 1 }
}

export function ended(as: EndKind): Item {
  const last = writeEnds([{ digest: digestOf('r1'), as }])
  return { pk: PK, sk: 'stage', epoch: 2, fence: 2, last }
}

export function dead(): Item {
  return { ...kept(), statusShard: 'dead#1', dueAt: 1 }
}

export function kept(): Item {
  return { pk: PK, sk: 'dead#r1', uniquerequestid: 'r1', epoch: 1, fence: 1 }
}

export function runs({ record }: State): boolean {
  return record['uniquerequestid'] === 'r1' && record['ending'] === undefined
}
