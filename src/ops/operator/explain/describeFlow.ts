import { type Awaiting, TIMEOUT } from '../../../claim/awaiting/awaiting.ts'
import type { StageEntry } from '../../../claim/stage/stageEntry.ts'
import type { StageRecord } from '../../../claim/stage/stageRecord.ts'
import { requestIn } from '../../../claim/stage/version.ts'
import { formatRelative, formatTime } from '../text/humanTime.ts'

/** What a stage record says, one fact a line. */
export function describeStageRecord(record: StageRecord, now: number): readonly string[] {
  const { run, newest, waiting, dropped, ended, last, epoch, fence } = record
  const versions = `epoch ${epoch}, fence ${fence}`
  const history = [
    ...(newest === undefined ? [] : [`newest that ever started: ${versionLine(newest, now)}`]),
    ...(waiting === undefined ? [] : [`waits on the queue: ${versionLine(waiting, now)}`]),
    ...(last === undefined ? [] : [`the last that ended: ${last.as} (digest ${last.digest})`]),
    ...(ended.length === 0 ? [] : [`remembers the ends of ${ended.length} requests`]),
    ...(dropped.length === 0 ? [] : [`refused while another ran: ${dropped.length} requests`]),
  ]
  if (run === undefined) return [`idle (${versions}): the key is free`, ...history]
  return [
    `${run.uniqueRequestId} has the key (${versions})${run.reopened ? ', brought back by a redrive' : ''}`,
    `may run until ${formatTime(run.giveUpAt, now)}`,
    ...[...run.stages].map(([name, entry]) => `stage ${name}: ${describeEntry(entry, now)}`),
    ...(run.marks.size === 0 ? [] : [`effects and calls: ${[...run.marks].join(', ')}`]),
    ...history,
  ]
}

export function describeEntry(entry: StageEntry, now: number): string {
  switch (entry.status) {
    case 'open':
      return entry.leaseUntil > now
        ? `runs (attempt ${entry.attempt}), its lease is over ${formatRelative(entry.leaseUntil, now)}`
        : `its attempt ${entry.attempt} was lost: the lease was over ${formatRelative(entry.leaseUntil, now)}`
    case 'retry':
      return `attempt ${entry.attempt} failed; the next ${formatRelative(entry.notBefore, now)}${entry.sent ? '' : ' (its copy is not confirmed)'}`
    case 'settled':
      if (entry.sentTo.length > 0) return `done, passed on to ${entry.sentTo.join(', ')}`
      return entry.ends ? 'done, ends the flow' : 'done'
    case 'dying':
      return `on its way to the dead letters (${entry.reason})`
    case 'dead':
      return `dead (${entry.reason})`
  }
}

export function describeAwaiting(awaiting: Awaiting, now: number): readonly string[] {
  const { steps, need, count, until, joinedBy } = awaiting
  const answers = `${count} of ${need} needed answers (${steps.size} asked for)`
  const state =
    joinedBy === undefined
      ? `waits until ${formatTime(until, now)}`
      : joinedBy === TIMEOUT
        ? 'timed out'
        : 'has its answers'
  return [`${state}: ${answers}`]
}

function versionLine(version: string, now: number): string {
  return `${requestIn(version)}, sent ${formatTime(Number(version.slice(0, version.indexOf('#'))), now)}`
}
