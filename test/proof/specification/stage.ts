import { decideStage, decideStart } from '../../../src/library/protocol/claim/stage/decideStage.ts'
import type { DeadRun } from '../../../src/library/protocol/claim/stage/deadRun.ts'
import type { StageEntry } from '../../../src/library/protocol/claim/stage/stageEntry.ts'
import type {
  OnConflict,
  StartRequest,
} from '../../../src/library/protocol/claim/stage/stageMessage.ts'
import type { StageRecord } from '../../../src/library/protocol/claim/stage/stageRecord.ts'
import { digestOf, versionOf } from '../../../src/library/protocol/claim/stage/version.ts'
import { plain } from './plain.ts'
import type { Value } from './tla/values.ts'

/** The bounds that a decision of the code is told of. */
export interface ToldStage {
  readonly OnConflict: OnConflict
  readonly MaxAttempts: number
}

type Name = 'first' | 'last' | 'side'

interface Entry {
  readonly status: 'none' | 'open' | 'settled' | 'dying' | 'dead'
  readonly owner: number
  readonly attempt: number
  readonly lease: 'none' | 'live' | 'over'
  readonly death: number
}

/** `side`: of a flow whose first stage hands over to two. */
type Entries = Readonly<Record<'first' | 'last', Entry> & { readonly side?: Entry }>

export interface RecordState {
  readonly run: number
  readonly epoch: number
  readonly fence: number
  readonly newest: number
  readonly waiting: number
  readonly dropped: readonly number[]
  readonly last: { readonly request: number; readonly as: 'none' | 'completed' | 'reset' | 'dead' }
  readonly entry: Entries
  readonly marks: readonly Name[]
  readonly reopened: boolean
}

export interface DeadRunState {
  readonly epoch: number
  readonly entry: Entries
  readonly marks: readonly Name[]
}

export interface StageWorker {
  readonly pc: string
  readonly id: number
  readonly message: {
    readonly request: number
    readonly stage: Name
    readonly epoch: number
    readonly death: number
  }
}

/** Epoch milliseconds. A lease is over before, or live after; no run is out of time. */
const [OVER, NOW, LIVE, NEVER] = [1_000, 1_500, 2_000, 1e12]
const LEASES = { none: 0, over: OVER, live: LIVE }
const KEY = { pk: 'flow#f/k', sk: 'record' }

/** What the code says of a message. @param dead the run of its request that has died, if there is one */
export function verdictOfStage(
  state: RecordState,
  dead: DeadRunState,
  worker: StageWorker,
  told: ToldStage,
): string {
  const record = recordOf(state)
  const request = requestOf(state, dead, worker, told)
  const { stage, epoch } = worker.message
  const verdict =
    stage === 'first'
      ? decideStart(record, request, NOW)
      : decideStage(record, { ...request, epoch }, NOW)
  return verdict.kind
}

function recordOf(state: RecordState): StageRecord | undefined {
  const { run, epoch, fence, newest, waiting, dropped, last } = state
  if (epoch === 0) return undefined
  return {
    key: KEY,
    process: 'newest',
    epoch,
    fence,
    run: run === 0 ? undefined : { ...runOf(run, state), reopened: state.reopened },
    newest: newest === 0 ? undefined : version(newest),
    waiting: waiting === 0 ? undefined : version(waiting),
    dropped: dropped.map((request) => digestOf(idOf(request))),
    ended: [],
    payloads: undefined,
    forgotten: undefined,
    last: last.as === 'none' ? undefined : { digest: digestOf(idOf(last.request)), as: last.as },
    payload: undefined,
  }
}

function runOf(request: number, { entry, marks }: Pick<RecordState, 'entry' | 'marks'>) {
  return {
    uniqueRequestId: idOf(request),
    giveUpAt: NEVER,
    stages: stagesOf(entry),
    payloads: new Map<string, string>(),
    marks: new Set<string>(marks),
    applied: marks.length,
  }
}

function stagesOf(entries: Entries): Map<string, StageEntry> {
  const stages = new Map<string, StageEntry>()
  for (const stage of ['first', 'last', 'side'] as const) {
    const { [stage]: state } = entries
    const entry = state && entryOf(stage, state, entries.side === undefined)
    if (entry !== undefined) stages.set(stage, entry)
  }
  return stages
}

function entryOf(
  stage: Name,
  { status, owner, attempt, lease, death }: Entry,
  isChain: boolean,
): StageEntry | undefined {
  const claim = { attemptId: `a${owner}`, attempt, leaseUntil: LEASES[lease] }
  switch (status) {
    case 'none':
      return undefined
    case 'open':
      return { status, ...claim, resendNumber: 0 }
    case 'dying':
      return { status, ...claim, reason: 'exhausted' }
    case 'settled':
      return stage === 'first'
        ? { status, ends: false, sentTo: isChain ? ['last'] : ['last', 'side'] }
        : { status, ends: true, sentTo: [] }
    case 'dead':
      return { status, epoch: death, reason: 'exhausted' }
  }
}

function requestOf(
  { epoch }: RecordState,
  dead: DeadRunState,
  { id, message }: StageWorker,
  { OnConflict: onConflict, MaxAttempts: maxAttempts }: ToldStage,
): StartRequest {
  const { request, stage, death } = message
  return {
    stage,
    uniqueRequestId: idOf(request),
    attemptId: `a${id}`,
    leaseUntil: LIVE,
    maxAttempts,
    resendNumber: 0,
    death: death === 0 ? undefined : death,
    giveUpAt: NEVER,
    after: stage === 'first' ? undefined : 'first',
    seen: 0,
    young: false,
    fifo: false,
    refused: false,
    history: { epoch, deadRun: deadRunOf(request, dead), end: undefined },
    sentAt: request,
    process: 'newest',
    onConflict,
  }
}

function deadRunOf(request: number, dead: DeadRunState): DeadRun | undefined {
  if (dead.epoch === 0) return undefined
  const { epoch } = dead
  const none = { payload: undefined, failures: undefined }
  return { ...runOf(request, dead), epoch, fence: 0, dropped: 'no', ...none }
}

function version(request: number): string {
  return versionOf(request, idOf(request))
}

function idOf(request: number): string {
  return `r${request}`
}

export function recordState(value: Value): RecordState {
  return plain(value) as unknown as RecordState
}

export function deadRunState(value: Value): DeadRunState {
  return plain(value) as unknown as DeadRunState
}

export function stageWorker(value: Value): StageWorker {
  return plain(value) as unknown as StageWorker
}
