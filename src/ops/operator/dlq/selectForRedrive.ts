import { isFifo } from '../../../queue/queueUrl.ts'
import type { FindDestination } from './destinations.ts'
import type { DeadLetter } from './deadLetter.ts'
import type { DeadLetterSource } from './deadLetterSource.ts'
import type { IdSet } from './idSet.ts'
import { toOutbound, needsIdentity } from './toOutbound.ts'
import { type Selection, matcher } from './selection.ts'
import type { AddressedMessage } from './send.ts'

/**
 * Why a dead letter stays. `notPlanned`: it is not one of the plan, so it arrived later, or could not be seen then.
 * `newer`: it arrived after the run began, and may be one that was redriven and died again.
 * `unprovenSource`: it names a queue that does not use this dead-letter queue. `tooLarge`: with its identity it exceeds the size of
 * an SQS message.
 */
export type StayReason =
  | 'notSelected'
  | 'notPlanned'
  | 'newer'
  | 'noDestination'
  | 'unprovenSource'
  | 'tooLarge'

export interface RedrivableMessage extends AddressedMessage {
  readonly deadLetter: DeadLetter
  readonly stamped: boolean
}

export interface RedriveSelection {
  readonly goes: readonly RedrivableMessage[]
  readonly stays: readonly StayReason[]
}

/** SQS gives its time in whole seconds. */
const SECOND = 1_000

/** Decides for each dead letter of a page. One that is redriven and dies again during the run is not redriven a second time. */
export function selectForRedrive(
  source: Pick<DeadLetterSource, 'now' | 'fifo'>,
  options: Selection & { readonly only?: IdSet | undefined },
  destinationOf: FindDestination,
): (page: readonly DeadLetter[]) => Promise<RedriveSelection> {
  const isSelected = matcher(options, source.now)
  const gone = new Set<string>()

  function isNewer({ sentAt, uniqueRequestId }: DeadLetter): boolean {
    const sure = sentAt >= source.now + SECOND
    return sure || (sentAt >= source.now && gone.has(uniqueRequestId))
  }

  async function select(deadLetter: DeadLetter): Promise<RedrivableMessage | StayReason> {
    if (!isSelected(deadLetter)) return 'notSelected'
    if (options.only?.has(deadLetter.record.messageId) === false) return 'notPlanned'
    if (isNewer(deadLetter)) return 'newer'
    const destination = await destinationOf(deadLetter)
    const { url } = destination
    if (url === undefined) return destination.why
    const message = toOutbound(deadLetter, url)
    if (message === undefined) return 'tooLarge'
    gone.add(deadLetter.uniqueRequestId)
    return { deadLetter, url, message, stamped: needsIdentity(deadLetter) }
  }

  return async (page) => {
    const goes: RedrivableMessage[] = []
    const stays: StayReason[] = []
    // One receive returns several dead letters of a message group. Those behind one that stays must not overtake it.
    const stuck = new Map<string, StayReason>()
    for (const deadLetter of page) {
      const { MessageGroupId: group } = deadLetter.record.attributes
      const selection = (group && stuck.get(group)) || (await select(deadLetter))
      if (typeof selection !== 'string') {
        goes.push(selection)
        continue
      }
      stays.push(selection)
      if (source.fifo && isFifo(deadLetter.record.eventSourceARN) && group)
        stuck.set(group, selection)
    }
    return { goes, stays }
  }
}
