import { isGivenUp, type StageEntry } from '../../protocol/claim/stage/stageEntry.ts'
import type { DeadRun } from '../../protocol/claim/stage/deadRun.ts'
import type { EndKind, StageRecord, StageRun } from '../../protocol/claim/stage/stageRecord.ts'
import { digestOf, requestIn } from '../../protocol/claim/stage/version.ts'
import type { RequestStatus } from './status.ts'
import { beganAt, dueAt } from './tokenStatus.ts'

interface Asked {
  readonly id: string
  /** The names of the awaited steps, former ones included. */
  readonly steps: ReadonlySet<string>
  readonly now: number
}

/** @returns 'dead' when the record says no more than that; undefined when it does not know the request */
export function statusInRecord(
  record: StageRecord,
  first: string,
  asked: Asked,
): RequestStatus | 'dead' | undefined {
  const { run, last, ended, dropped, waiting } = record
  if (run?.uniqueRequestId === asked.id) return runStatus(run, asked)
  const digest = digestOf(asked.id)
  const end = last?.digest === digest ? last : ended.findLast((one) => one.digest === digest)
  if (end !== undefined) return statusOfEnd(end.as)
  if (dropped.includes(digest)) return { state: 'superseded', because: 'dropped' }
  const waits = waiting !== undefined && requestIn(waiting) === asked.id
  return waits ? { state: 'queued', stage: first } : undefined
}

export function statusOfEnd(as: EndKind): RequestStatus | 'dead' {
  if (as === 'completed') return { state: 'completed', at: undefined }
  return as === 'reset' ? { state: 'superseded', because: 'reset' } : 'dead'
}

/** What a run of several stages is doing: what runs counts before what is dead, and this before what waits. */
function runStatus({ stages }: StageRun, { steps, now }: Asked): RequestStatus | undefined {
  const entries = [...stages]
  for (const statusOf of [running, dead, retrying]) {
    for (const [stage, entry] of entries) {
      const status = statusOf(stage, entry, now)
      if (status !== undefined) return status
    }
  }
  const reopened = entries.find(([, entry]) => isGivenUp(entry))
  if (reopened !== undefined) return { state: 'waiting', step: reopened[0] }
  const sent = entries.flatMap(([, entry]) => (entry.status === 'settled' ? entry.sentTo : []))
  const coming = sent.filter((name) => !stages.has(name))
  // @protects a run that waits for an answer is not told as queued
  // @without coming[0]
  const stage = coming.find((name) => !steps.has(name))
  if (stage !== undefined) return { state: 'queued', stage }
  const [step] = coming
  return step === undefined ? undefined : { state: 'waiting', step }
}

type StatusOf = (stage: string, entry: StageEntry, now: number) => RequestStatus | undefined

const running: StatusOf = (stage, entry, now) =>
  entry.status === 'open' && entry.leaseUntil > now
    ? { state: 'running', attempt: entry.attempt, since: beganAt(entry.attemptId), stage }
    : undefined

const dead: StatusOf = (stage, entry) =>
  entry.status === 'dying' || (entry.status === 'dead' && !isGivenUp(entry))
    ? { state: 'dead', reason: entry.reason, final: false, stage }
    : undefined

const retrying: StatusOf = (stage, entry, now) => {
  if (entry.status !== 'open' && entry.status !== 'retry') return undefined
  const notBefore = entry.status === 'retry' ? dueAt(entry.notBefore, now) : undefined
  return { state: 'retrying', attempt: entry.attempt, notBefore, stage }
}

interface Since {
  /** The operators' index has it: it was not redriven. */
  readonly isListed: boolean
  /** A newer request has started, so that no redrive and no answer continues it. */
  readonly isOvertaken: boolean
}

/** @returns undefined when it was redriven and has ended since: how is not remembered */
export function statusOfDead(
  { stages, dropped }: DeadRun,
  { isListed, isOvertaken }: Since,
): RequestStatus | undefined {
  const reopened = [...stages].find(([, entry]) => isGivenUp(entry))
  if (reopened !== undefined && !isOvertaken) return { state: 'waiting', step: reopened[0] }
  if (!isListed && dropped === 'no') return undefined
  const died = [...stages].flatMap(([stage, entry]) =>
    entry.status === 'dead' ? [{ stage, reason: entry.reason }] : [],
  )
  return {
    state: 'dead',
    reason: died[0]?.reason,
    final: dropped === 'done' || isOvertaken,
    ...(died[0] && { stage: died[0].stage }),
  }
}
