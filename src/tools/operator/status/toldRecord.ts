import type { Item } from '../../../library/protocol/store/store.ts'
import { readDeadRun } from '../../../library/protocol/claim/stage/deadRun.ts'
import type { StageEntry } from '../../../library/protocol/claim/stage/stageEntry.ts'
import { readStageRecord } from '../../../library/protocol/claim/stage/stageRecord.ts'
import { readToken } from '../../../library/protocol/claim/token/token.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import type { DeadLetter } from '../dlq/deadLetter.ts'
import type { TokenFacts } from '../explain/facts.ts'
import { stageStates } from '../explain/stageState.ts'
import { statusOfToken } from '../explain/tokenState.ts'
import { SILENCE } from '../item/silence.ts'
import { formatRelative, nonEmptyText, timeIn } from '../text/humanTime.ts'
import { displayId } from '../text/itemId.ts'

/** What the table tells of a dead letter that has no error. */
export interface ToldRecord {
  /** As `explain` takes it. */
  readonly id: string
  readonly error: string | undefined
  /** How it stands, in words. */
  readonly state: string
  /** The same for all records that stand alike. */
  readonly alike: string
}

/** @returns undefined for an item that this version cannot read */
export function toldOfToken(item: Item, now: number): ToldRecord | undefined {
  const token = readToken(item)
  if (token === undefined) return undefined
  const { error, attempt, leaseUntil } = token
  const status = statusOfToken(token, now)
  const began = timeIn(item['created'])
  const since = began === undefined ? '' : ` ${formatRelative(began, now)}`
  const told = { id: displayId(token.pk), error, alike: status }
  switch (status) {
    case 'lost':
      return {
        ...told,
        state: `attempt ${attempt} began${since} and has not ended: it was ${SILENCE}`,
      }
    case 'running':
      return {
        ...told,
        state: `attempt ${attempt} began${since} and may still run: its claim ends ${formatRelative(leaseUntil, now)}`,
      }
    default:
      return { ...told, state: STATES[status] }
  }
}

const STATES: Readonly<Record<Exclude<TokenFacts['status'], 'lost' | 'running'>, string>> = {
  done: 'it has completed',
  free: 'no attempt has begun',
  waiting: 'its next attempt waits',
  overdue: 'its next attempt is overdue',
  dying: 'its dead letter is being sent',
  ending: 'its onFailure is due, or runs',
  error: 'it waits for an operator',
  unknown: 'whether a call was made is not known, and it waits for an operator',
}

/**
 * A message of a flow does not name its stage before that has claimed it, so that the text names all stages of its run.
 * @param items what is under `fateKeys`, in that order
 */
export function toldOfRun(
  { envelope: { carried } }: DeadLetter,
  [item, dead]: readonly (Item | undefined)[],
  now: number,
): ToldRecord | undefined {
  const record = item && readStageRecord(item)
  const live = record?.run?.uniqueRequestId === carried.flow?.id ? record?.run : undefined
  const ended = dead && readDeadRun(dead)
  const found = dead ?? item
  if (found === undefined || (record ?? ended) === undefined) return undefined
  const { stages } = live ?? ended ?? {}
  const state = stages === undefined ? NO_RUN : stagesText(stages, now)
  const error = live === undefined ? nonEmptyText(dead?.['error']) : undefined
  return { id: displayId(itemKey(found).pk), error, state, alike: state }
}

const NO_RUN = 'its key has no such run, which has ended or not begun'

function stagesText(stages: ReadonlyMap<string, StageEntry>, now: number): string {
  const each = stageStates(stages, now).map(({ name, status }) => `${name} ${status}`)
  return each.length === 0 ? 'no stage has begun' : `its stages: ${each.join(', ')}`
}
