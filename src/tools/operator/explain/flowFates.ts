import { decideEntry } from '../../../library/protocol/claim/stage/decideEntry.ts'
import {
  type DeadRun,
  deadRunKey,
  readDeadRun,
} from '../../../library/protocol/claim/stage/deadRun.ts'
import { endedRequestKey, readEndedRequest } from '../../../library/protocol/claim/stage/endRun.ts'
import type { StageVerdict } from '../../../library/protocol/claim/stage/verdict.ts'
import { hasDeadLetter, isAtEnd } from '../../../library/protocol/claim/stage/stageEntry.ts'
import type {
  EndKind,
  StageRecord,
  StageRun,
} from '../../../library/protocol/claim/stage/stageRecord.ts'
import { digestOf, requestIn } from '../../../library/protocol/claim/stage/version.ts'
import type { Item } from '../../../library/protocol/store/store.ts'
import type { Fate } from './factParts.ts'
import { fate } from './fates.ts'
import { describeStage } from './describeFlow.ts'
import { reopenedStep, stageState } from './stageState.ts'

interface Remembered {
  readonly record: StageRecord
  readonly items: readonly Item[]
}

/** What the next delivery of this request would do: one fate, or one for each of its open stages. */
export function flowFates(remembered: Remembered, request: string, now: number): readonly Fate[] {
  const { record } = remembered
  return record.run?.uniqueRequestId === request
    ? fatesInRun(record, record.run, now)
    : [{ ...fateOutside(remembered, request), request }]
}

function fateOutside({ record, items }: Remembered, request: string): Fate {
  const { newest, waiting } = record
  const digest = digestOf(request)
  const end = storedEnd(record, items, digest)
  const dead = end === 'dead' ? deadRunIn(record, items, request) : undefined
  const step = end === 'dead' ? reopenedStep(request, items) : undefined
  if (step !== undefined) return dropped(`dropped: the request waits for an answer of step ${step}`)
  if (dead !== undefined && ![...dead.stages.values()].some(hasDeadLetter)) {
    return dropped('dropped, or dead-lettered past its time limit: it was given up')
  }
  if (end !== undefined) return dropped(`dropped: ${END_TEXTS[end]}`)
  if (record.dropped.includes(digest)) {
    return dropped(
      'dropped: another request held the key when it was first delivered (onConflict: drop)',
    )
  }
  if (waiting !== undefined && requestIn(waiting) === request) {
    return fate('deferred', 'deferred as the newest request, until the key is free')
  }
  if (newest !== undefined && requestIn(newest) === request) {
    return dropped('dropped as a duplicate: it was the last request that started')
  }
  if (newest === undefined) return fate('runs', 'runs: the flow has no record of it')
  return fate(
    'depends',
    `dropped as stale if it was first sent before ${requestIn(newest)}, the newest request that started; otherwise it is new`,
  )
}

function dropped(text: string): Fate {
  return fate('dropped', text)
}

function fatesInRun(record: StageRecord, run: StageRun, now: number): readonly Fate[] {
  const { uniqueRequestId: request } = run
  const open = [...run.stages].filter(([, entry]) => !isAtEnd(entry))
  if (open.length === 0) {
    const text =
      'dropped as a duplicate: its stages are done, and the messages to the next ones were sent'
    return [{ ...dropped(text), request }]
  }
  return open.map(([stage, entry]) => {
    const delivery = { ...ANY_DELIVERY, stage, uniqueRequestId: request }
    const verdict = decideEntry(record, run, delivery, now)
    const { kind, text } =
      DECISIONS[verdict.kind] ?? fate('deferred', describeStage(stageState(stage, entry, now), now))
    const until = 'until' in verdict ? verdict.until : undefined
    return { kind, text: `stage ${stage}: ${text}`, request, stage, until }
  })
}

const ANY_DELIVERY = {
  attemptId: '',
  leaseUntil: 0,
  maxAttempts: Infinity,
  resendNumber: 0,
  death: undefined,
  giveUpAt: 0,
  refused: false,
  history: undefined,
  seen: 0,
  young: false,
  fifo: false,
}

const DECISIONS: Readonly<Partial<Record<StageVerdict['kind'], Fate>>> = {
  held: fate('deferred', 'deferred: an attempt holds the lease'),
  early: fate('deferred', 'deferred until the next attempt is due'),
  replaced: dropped('dropped: a newer resend is confirmed to be on the queue'),
  takeOver: fate(
    'runs',
    'runs, unless the retry budget or time limit is exhausted: the earlier attempt was lost',
  ),
  deadLetter: fate(
    'deadLettered',
    'dead-lettered without running: retry budget or time limit exhausted',
  ),
  busy: fate('deferred', 'waits for the stage before it to settle'),
}

function storedEnd(
  record: StageRecord,
  items: readonly Item[],
  digest: string,
): EndKind | undefined {
  if (record.last?.digest === digest) return record.last.as
  const remembered = record.ended.findLast((end) => end.digest === digest)
  const { sk } = endedRequestKey(record.key, digest)
  return remembered?.as ?? readEndedRequest(items.find((item) => item['sk'] === sk))
}

function deadRunIn(
  { key }: StageRecord,
  items: readonly Item[],
  request: string,
): DeadRun | undefined {
  const { sk } = deadRunKey(key, request)
  const dead = items.find((item) => item['sk'] === sk)
  return dead && readDeadRun(dead)
}

const END_TEXTS: Readonly<Record<EndKind, string>> = {
  completed: 'a duplicate of a completed request',
  reset: 'the request was reset',
  dead: 'the request is dead; a redrive of its dead letter reopens it',
}
