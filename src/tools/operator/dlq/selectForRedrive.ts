import { stableId } from '../../../library/base/ids.ts'
import { isFifo } from '../../../library/protocol/send/queueUrl.ts'
import type { Store } from '../../../library/protocol/store/store.ts'
import { readItems, itemIn } from '../../../library/entries/sweeper/due/listDue.ts'
import type { FindDestination } from './destinations.ts'
import type { DeadLetter } from './deadLetter.ts'
import type { DeadLetterSource } from './deadLetterSource.ts'
import { fateKeys, hasLostRecord, hidesItsRecord, isFinalDeath } from './watch.ts'
import type { Planned } from './bound.ts'
import { toOutbound, needsIdentity, type AddressedMessage } from './send.ts'
import { type Selection, matcher } from './deadLetterQueue.ts'

/**
 * Why a dead letter stays. `notPlanned`: it is not one of the plan, so it arrived later, or could not be seen then.
 * `newer`: it arrived after the run began, and may be one that was redriven and died again.
 * `otherSource`: it came from another queue than the given one. `unprovenSource`: it names a queue that does not use this dead-letter queue. `tooLarge`: with its identity it exceeds the size of
 * an SQS message. `behind`: on a FIFO queue, one of its message group before it stays. `elsewhere`: it would go to another queue than its plan has shown. `lostRecord`: what it has done is not recorded any more, so that its consumer would refuse it. `finalDeath`: its request never runs again.
 * `notKnown`: a newer version has written it. `noConflict`: only a conflict becomes a request of its own.
 */
export type StayReason = (typeof STAY_REASONS)[number]
export const STAY_REASONS = [
  'notSelected',
  'notPlanned',
  'newer',
  'noDestination',
  'unprovenSource',
  'otherSource',
  'tooLarge',
  'behind',
  'elsewhere',
  'lostRecord',
  'finalDeath',
  'notKnown',
  'noConflict',
] as const

export interface RedrivableMessage extends AddressedMessage {
  readonly deadLetter: DeadLetter
  readonly stamped: boolean
  readonly unsure: boolean
  /** Its record is gone, and the operator has said that it runs all the same. */
  readonly asNew: boolean
}

export interface Records {
  readonly store: Store
  /**
   * Those whose record is gone are sent as new messages, and those that came from another queue are sent to the given one. A run of a
   * flow whose record is gone cannot be: its first message starts it again.
   */
  readonly force: boolean
}

export interface RedriveSelection {
  readonly goes: readonly RedrivableMessage[]
  readonly stays: readonly StayReason[]
}

/** SQS gives its time in whole seconds. */
const SECOND = 1_000

/** Decides for each dead letter of a page. One that is redriven and dies again during the run is not redriven a second time. */
export function selectForRedrive(
  source: Pick<DeadLetterSource, 'now'>,
  options: Selection & {
    readonly planned: Planned
    readonly records?: Records | undefined
    readonly asNewRequest?: boolean | undefined
  },
  destinationOf: FindDestination,
): (page: readonly DeadLetter[]) => Promise<RedriveSelection> {
  const isSelected = matcher(options, source.now)
  const gone = new Set<string>()

  function isNewer({ sentAt, uniqueRequestId }: DeadLetter): boolean {
    const sure = sentAt >= source.now + SECOND
    return sure || (sentAt >= source.now && gone.has(uniqueRequestId))
  }

  function isWanted(deadLetter: DeadLetter): true | StayReason {
    if (!isSelected(deadLetter)) return 'notSelected'
    if (!options.planned.has(deadLetter.record.messageId)) return 'notPlanned'
    return isNewer(deadLetter) ? 'newer' : true
  }

  async function select(
    found: DeadLetter,
    barred: Barred | undefined,
  ): Promise<RedrivableMessage | StayReason> {
    const wanted = isWanted(found)
    if (wanted !== true) return wanted
    if (found.notKnown) return 'notKnown'
    const isOwn = options.asNewRequest === true
    // @protects only what never ran becomes a request of its own
    // @tests test/tools/cli/dlqConflict
    if (isOwn && !isUnrunConflict(found)) return 'noConflict'
    const deadLetter = isOwn ? asRequestOfItsOwn(found) : found
    // @protects a dead letter whose request never runs again stays where it is
    // @tests test/tools/cli/dlqFinal
    if (barred === 'finalDeath') return 'finalDeath'
    const isLost = barred === 'lostRecord'
    const isOfRun = deadLetter.envelope.carried.flow !== undefined
    // @protects a dead letter whose record is gone stays where it is
    // @tests test/tools/cli/dlqLost
    if (isLost && (isOfRun || options.records?.force !== true)) return 'lostRecord'
    const destination = await destinationOf(deadLetter)
    const { url } = destination
    if (url === undefined) return destination.why
    const planned = options.planned.destination(deadLetter.record.messageId)
    if (planned !== undefined && planned !== new URL(url).pathname) return 'elsewhere'
    const message = toOutbound(deadLetter, url, isLost || isOwn)
    if (message === undefined) return 'tooLarge'
    gone.add(deadLetter.uniqueRequestId)
    const [stamped, unsure] = [needsIdentity(deadLetter), hidesItsRecord(deadLetter)]
    return { deadLetter, url, message, stamped, unsure, asNew: isLost || isOwn }
  }

  // A page may be a part of what one receive returned, so the next page has the rest of its groups.
  const stuck = new Set<string>()

  return async (page) => {
    const barred = await barredOf(
      page.filter((each) => isWanted(each) === true),
      options.records,
    )
    const goes: RedrivableMessage[] = []
    const stays: StayReason[] = []
    for (const deadLetter of page) {
      const group = fifoGroup(deadLetter)
      // @protects a dead letter does not overtake one of its message group that stays
      // @tests test/tools/operator/fifoOrder
      const isBehind = group !== undefined && stuck.has(group) && isWanted(deadLetter) === true
      const selection = isBehind ? 'behind' : await select(deadLetter, barred.get(deadLetter))
      if (typeof selection !== 'string') {
        goes.push(selection)
        continue
      }
      stays.push(selection)
      if (group !== undefined) stuck.add(group)
    }
    return { goes, stays }
  }
}

/** The message of a run begins that run, or belongs to it, under its id: it keeps the id. */
function isUnrunConflict({ reason, identity, envelope }: DeadLetter): boolean {
  return reason === 'conflict' && identity === 'stamped' && envelope.carried.flow === undefined
}

/** The id follows from the message, so that each further sending of it is a duplicate. */
function asRequestOfItsOwn(deadLetter: DeadLetter): DeadLetter {
  const { uniqueRequestId, envelope } = deadLetter
  const own = stableId('request of its own', uniqueRequestId, envelope.body).slice(0, OWN)
  // @protects a command that is killed after it has sent, and typed again, sends it under the same id
  // @without { ...deadLetter, uniqueRequestId: String(Math.random()) }
  // @tests test/tools/cli/dlqConflict
  return { ...deadLetter, uniqueRequestId: `${uniqueRequestId.slice(0, ROOM)}-${own}` }
}

/** 96 bits, behind so many characters of the id that it had. */
const OWN = 16
const ROOM = 100

/** Messages of one group of a FIFO queue have an order; on a standard queue a group is a tenant. */
export function fifoGroup({ record }: DeadLetter): string | undefined {
  const { MessageGroupId: group } = record.attributes
  if (group === undefined || !isFifo(record.eventSourceARN)) return undefined
  return JSON.stringify([record.eventSourceARN, group])
}

/** What its record says against a redrive. */
type Barred = 'lostRecord' | 'finalDeath'

async function barredOf(
  deadLetters: readonly DeadLetter[],
  records: Records | undefined,
): Promise<ReadonlyMap<DeadLetter, Barred>> {
  const keys = deadLetters.map(fateKeys)
  if (records === undefined || keys.flat().length === 0) return new Map()
  // A call refuses the same key twice, and a request may have several dead letters.
  const unique = [...new Map(keys.flat().map((key) => [`${key.pk} ${key.sk}`, key])).values()]
  const items = await readItems(records.store, unique)
  const found = new Map(unique.map(({ pk, sk }, at) => [`${pk} ${sk}`, items[at]]))
  const barred = new Map<DeadLetter, Barred>()
  for (const [at, deadLetter] of deadLetters.entries()) {
    const own = (keys[at] ?? []).map(({ pk, sk }) => found.get(`${pk} ${sk}`))
    if (!own.every((seen) => seen?.kind === 'found')) continue
    const items = own.map(itemIn)
    if (hasLostRecord(deadLetter, items)) barred.set(deadLetter, 'lostRecord')
    if (isFinalDeath(deadLetter, items)) barred.set(deadLetter, 'finalDeath')
  }
  return barred
}
