import { type Awaiting, stepIdOf, stepNameIn, TIMEOUT } from '../../../claim/awaiting/awaiting.ts'
import { readExternalIds } from '../../../claim/awaiting/externalIds.ts'
import { refusalOf } from '../../../claim/awaiting/refusedAnswer.ts'
import type { StageEntry } from '../../../claim/stage/stageEntry.ts'
import type { FencedRun, StageRecord } from '../../../claim/stage/stageRecord.ts'
import { requestIn } from '../../../claim/stage/version.ts'
import type { Item } from '../../../store/store.ts'
import { formatRelative, formatTime } from '../text/humanTime.ts'

/** A stage record, one fact per line. */
export function describeStageRecord(record: StageRecord, now: number): readonly string[] {
  const { run, newest, waiting, dropped, ended, last, epoch, fence } = record
  const versions = `epoch ${epoch}, fence ${fence}`
  const history = [
    ...(newest === undefined ? [] : [`newest request that started: ${versionLine(newest, now)}`]),
    ...(waiting === undefined ? [] : [`waiting on the queue: ${versionLine(waiting, now)}`]),
    ...(last === undefined ? [] : [`last request that ended: ${last.as} (digest ${last.digest})`]),
    ...(ended.length === 0 ? [] : [`ended requests that are remembered: ${ended.length}`]),
    ...(dropped.length === 0
      ? []
      : [`requests dropped while another held the key: ${dropped.length}`]),
  ]
  if (run === undefined) return [`idle (${versions}): the key is free`, ...history]
  return [
    `${run.uniqueRequestId} holds the key (${versions})${run.reopened ? ', reopened by a redrive' : ''}`,
    ...(run.ending === undefined
      ? [`time limit: ${formatTime(run.giveUpAt, now)}`]
      : [`being ended (${run.ending.as}): it can write nothing${undoText(run.ending)}`]),
    ...stagesInOrder(run.stages).map(
      ([name, entry]) => `stage ${name}: ${describeEntry(entry, now)}`,
    ),
    ...(run.marks.size === 0 ? [] : [`effects and calls: ${[...run.marks].join(', ')}`]),
    ...history,
  ]
}

/** An item has no order of its own: what is done first, then by name. */
export function stagesInOrder(
  stages: ReadonlyMap<string, StageEntry>,
): readonly (readonly [string, StageEntry])[] {
  const rank = ([name, { status }]: readonly [string, StageEntry]): string =>
    `${status === 'settled' ? 0 : 1}${name}`
  return [...stages].toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))
}

function undoText({ as }: FencedRun): string {
  return as === 'dead' ? ', and its key is freed' : ', and its effects will be undone'
}

export function describeEntry(entry: StageEntry, now: number): string {
  switch (entry.status) {
    case 'open':
      return entry.leaseUntil > now
        ? `running (attempt ${entry.attempt}), its lease ends ${formatRelative(entry.leaseUntil, now)}`
        : `attempt ${entry.attempt} was lost: its lease ended ${formatRelative(entry.leaseUntil, now)}`
    case 'retry':
      return `attempt ${entry.attempt} failed; the next is due ${formatRelative(entry.notBefore, now)}${entry.sent ? '' : ' (its resend is not confirmed)'}`
    case 'settled':
      if (entry.sentTo.length > 0) return `done, sent to ${entry.sentTo.join(', ')}`
      return entry.ends ? 'done, ends the flow' : 'done'
    case 'dying':
      return `dying (${entry.reason}): its dead letter is being sent`
    case 'dead':
      return `dead (${entry.reason})`
  }
}

/** @param item of the step: it may hold the external ids, and why an answer was refused */
export function describeAwaiting(awaiting: Awaiting, now: number, item: Item): readonly string[] {
  const { steps, need, count, until, joinedBy } = awaiting
  const answers = `${count} of ${need} required answers received (${steps.size} requested)`
  const state =
    joinedBy === undefined
      ? `waits until ${formatTime(until, now)}`
      : joinedBy === TIMEOUT
        ? 'timed out'
        : 'complete'
  const refusal = joinedBy === undefined ? refusalOf(item) : undefined
  return [
    `${state}: ${answers}`,
    ...describeIds(awaiting, readExternalIds(item)),
    ...(refusal === undefined ? [] : [`the last answer by hand was refused: ${refusal}`]),
  ]
}

function describeIds(
  { steps, key, uniqueRequestId }: Awaiting,
  ids: readonly string[],
): readonly string[] {
  if (ids.length === 0) return []
  const told = ids.map((id) => {
    const answer = steps.get(stepIdOf(stepNameIn(key), id, uniqueRequestId))
    return answer === undefined ? id : `${id} (answered)`
  })
  const more = steps.size > ids.length ? `, and ${steps.size - ids.length} more` : ''
  return [`external ids: ${told.join(', ')}${more}`]
}

function versionLine(version: string, now: number): string {
  return `${requestIn(version)}, sent ${formatTime(Number(version.slice(0, version.indexOf('#'))), now)}`
}
