import { withFormat } from '../../../../src/library/protocol/store/format.ts'
import { writeEntry } from '../../../../src/library/protocol/claim/stage/stageEntry.ts'
import {
  type EndKind,
  writeEnds,
} from '../../../../src/library/protocol/claim/stage/stageRecord.ts'
import { digestOf, versionOf } from '../../../../src/library/protocol/claim/stage/version.ts'
import { writeDelayed } from '../../../../src/library/protocol/claim/delayed/delayedRow.ts'
import type { QueueMessage } from '../../../../src/library/protocol/send/messenger.ts'
import { buildMessage } from '../../../../src/library/protocol/record/envelope/buildMessage.ts'
import type { Item, Update } from '../../../../src/library/protocol/store/store.ts'

/** Small times: the row is due at 1,000. */
export const DUE = 1_000
export const HOUR = 3_600_000
const PK = 'flow#trip/k'
const RUN = { recordPk: PK, uniqueRequestId: 'r1' }

/** One message that the run r1 stores, and everything that decides whether it is sent. Plain data: a state is its own key. */
export interface State {
  readonly row: Item | null
  /** What the handler stores. */
  readonly wanted: Item
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
/** `reset` and `close`: of a run that was redriven, whose death is closed before or after its reset. */
export type HandlerAt = 'create' | 'settle' | 'reset' | 'close'

export interface Sweeper {
  readonly at: 'read row' | 'read record' | 'read parked' | 'act' | 'send' | 'close'
  readonly row: Item | null
  readonly record: Item | null
  readonly parked: Item | null
  /** The row had been closed before this sweeper read it. */
  readonly tooLate: string | null
}

export interface Left {
  readonly faults: number
  readonly handlers: number
  readonly sweeps: number
  readonly supersedes: number
  readonly deaths: number
  /** As a death, without a dead letter. */
  readonly giveUps: number
  readonly redrives: number
  /** Newer requests of the key, while no run has it. */
  readonly followers: number
  readonly voids: number
}

export interface Facts {
  readonly sends: number
  readonly listed: boolean
  readonly closed: boolean
  readonly completed: boolean
  readonly byHand: boolean
  readonly bad: string | null
}

export function begin(left: Left, row: Item, process: 'newest' | 'every'): State {
  const facts = {
    sends: 0,
    listed: false,
    closed: false,
    completed: false,
    byHand: false,
    bad: null,
  }
  return {
    row: null,
    wanted: row,
    record: { ...running('r1'), process },
    parked: null,
    time: 0,
    wire: [],
    handlers: [],
    sweepers: [],
    left,
    facts,
  }
}

/** A message to another queue, and one to a stage of the run: the rows as the shipped code writes them. */
export const OUTSIDE: Item = rowOf({ body: '{}', attributes: {} })
export const TO_A_STAGE: Item = rowOf(
  buildMessage(
    '{}',
    {},
    {
      uniqueRequestId: 'm1',
      resendNumber: 0,
      hops: 1,
      flow: { name: 'trip', key: 'k', id: 'r1', epoch: 1, sentAt: 1, from: 'book' },
    },
  ),
)

function rowOf(message: QueueMessage): Item {
  return withFormat(
    writeDelayed({
      id: 'm1',
      queue: 'https://sqs.eu-west-1.amazonaws.com/123456789012/next',
      message,
      due: DUE,
      now: 0,
      by: 'trip.book',
      uniqueRequestId: 'r1',
      run: RUN,
      keepFor: 86_400_000,
    }),
  )
}

const VERSIONS = { r1: versionOf(1, 'r1'), r2: versionOf(2, 'r2') } as const

export function running(uniquerequestid: keyof typeof VERSIONS): Item {
  const stage = writeEntry({ status: 'dead', epoch: 1, reason: 'abandoned' })
  return {
    pk: PK,
    sk: 'stage',
    epoch: 1,
    fence: 1,
    newest: VERSIONS[uniquerequestid],
    uniquerequestid,
    giveUpAt: 1e12,
    'stage:book': stage,
  }
}

/** The record changes, and its flow stays what it is. */
export function become(
  { record: { process = 'newest' } }: State,
  next: Item,
): Pick<State, 'record'> {
  return { record: { ...next, process } }
}

export function ended(as: EndKind): Item {
  return endedBy('r1', as)
}

/** A newer request has had the key since: nothing on the record shows how the run ended. */
export function followed(): Item {
  return endedBy('r2', 'completed')
}

function endedBy(id: keyof typeof VERSIONS, as: EndKind): Item {
  const last = writeEnds([{ digest: digestOf(id), as }])
  return { pk: PK, sk: 'stage', epoch: 2, fence: 2, newest: VERSIONS[id], last }
}

/** `terminal`: it has a dead letter. `abandoned`: it was given up, and has none. */
export function dead(reason: 'terminal' | 'abandoned'): Item {
  const stage = writeEntry({ status: 'dead', epoch: 1, reason })
  const created = new Date(0).toISOString()
  return { ...kept(), created, statusShard: 'dead#1', dueAt: 1, 'stage:book': stage }
}

export function kept(): Item {
  return { pk: PK, sk: 'dead#r1', uniquerequestid: 'r1', epoch: 1, fence: 1 }
}

/** Dead, with a dead letter whose redrive continues it: in a flow that runs every request also after newer ones. */
export function isDead({ record, parked, facts }: State): boolean {
  if (record['uniquerequestid'] !== undefined || facts.completed) return false
  if (record['process'] !== 'every' && record['newest'] !== VERSIONS.r1) return false
  return (
    parked?.['statusShard'] !== undefined &&
    JSON.stringify(parked['stage:book']).includes('terminal')
  )
}

export function runs({ record }: State): boolean {
  return record['uniquerequestid'] === 'r1'
}
