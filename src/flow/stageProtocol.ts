import type { Invocation } from '../batch/invocation.ts'
import type { Claim, Protocol } from '../batch/protocol.ts'
import type { Work } from '../batch/work.ts'
import type { OpenContext } from '../effect/openContext.ts'
import { latest } from '../envelope/times.ts'
import { hasCode, messageOf } from '../errors.ts'
import type { Death } from '../hold/hold.ts'
import type { LogFields } from '../logger.ts'
import type { Request } from '../stage/claimWrite.ts'
import { decideStage } from '../stage/decideStage.ts'
import { decideStart } from '../stage/decideStart.ts'
import type { Delivery } from '../stage/delivery.ts'
import type { Closing } from '../stage/endRun.ts'
import { type StageRecord, recordKey } from '../stage/stageRecord.ts'
import type { Verdict } from '../stage/verdict.ts'
import type { Claimant, StageClaim } from './claimant.ts'
import { claimStage } from './claimStage.ts'
import type { Flow } from './flow.ts'
import { type Place, placeOf } from './place.ts'
import { type StageHold, stageHold } from './stageHold.ts'
import { type StageStore, stageStore } from './stageStore.ts'

export type RunStage = (payload: unknown, opened: OpenContext, hold: StageHold) => unknown

/** Messages of one stage: the first one starts runs, later ones go on in the run that sent them. */
export function stageProtocol(flow: Flow, stage: string, run: RunStage): Protocol {
  return {
    lineOf: (work) => lineOf(flow, stage, work),
    claim: async (works, invocation) => {
      const store = stageStore(invocation.consumer.store)
      return Promise.all(works.map((work) => claimOne(flow, stage, work, invocation, store, run)))
    },
  }
}

/** Two requests of one key would only get in each other's way. */
function lineOf(flow: Flow, stage: string, { message }: Work): string {
  try {
    return placeOf(flow, stage, message, message.sentAt).key
  } catch {
    return message.uniqueRequestId
  }
}

async function claimOne(
  flow: Flow,
  stage: string,
  work: Work,
  invocation: Invocation,
  store: StageStore,
  run: RunStage,
): Promise<Claim> {
  let place: Place
  try {
    const now = invocation.consumer.clock.now()
    const { message } = work
    place = placeOf(flow, stage, message, latest(now, message.envelope.enqueuedAt))
  } catch (error) {
    return unplaced(work, error)
  }
  return claimPlace({ flow, stage, work, invocation, store, run }, place)
}

/** A message that cannot be of this stage is dead-lettered; one that a schema could not judge for now comes back. */
function unplaced({ message }: Work, error: unknown): Claim {
  if (hasCode(error, 'REJECTED')) {
    const refusal = message.kind === 'refused' ? message.refusal : asRefusal(error)
    return { kind: 'refuse', refusal }
  }
  return { kind: 'failed', error: error instanceof Error ? error : new Error(messageOf(error)) }
}

function asRefusal(error: unknown): Death {
  return { reason: 'rejected', error: messageOf(error) }
}

export interface StageWork {
  readonly flow: Flow
  readonly stage: string
  readonly work: Work
  readonly invocation: Invocation
  readonly store: StageStore
  readonly run: RunStage
}

/** The request that it belongs to, which is not that of the message, and which other one was in its way. */
function aboutOf({ stage }: StageWork, place: Place, claim: StageClaim): LogFields {
  const { uniqueRequestId: uniquerequestid, key } = place
  const by = 'by' in claim ? claim.by : undefined
  return { uniquerequestid, key, stage, ...(by === undefined ? {} : { by }) }
}

/** Claims the stage for a message whose place in the flow is known. */
export async function claimPlace(given: StageWork, place: Place): Promise<Claim> {
  const claimant = claimantOf(given, place)
  return toClaim(given, place, claimant, await claimStage(given.store, claimant))
}

function claimantOf({ flow, stage, work, invocation }: StageWork, place: Place): Claimant {
  const { consumer, leaseUntil } = invocation
  const { message } = work
  const { retry, death, reason, notBefore = 0 } = message.envelope.carried
  const now = consumer.clock.now()
  const isLetter = death !== undefined || reason !== undefined
  const delivery: Delivery & Pick<Request, 'sentAt' | 'order'> = {
    stage,
    uniqueRequestId: place.uniqueRequestId,
    attemptId: invocation.nextAttemptId(),
    leaseUntil,
    maxAttempts: consumer.maxAttempts,
    retry,
    death: isLetter ? (death ?? 0) : undefined,
    giveUpAt: (isLetter ? now : message.sentAt) + flow.giveUpAfter,
    refused: message.kind === 'refused',
    known: undefined,
    after: place.run?.from,
    sentAt: place.sentAt,
    order: flow.order,
  }
  const { run } = place
  return {
    key: recordKey(flow.name, place.key),
    notBefore: retry === 0 ? notBefore : 0,
    request:
      run === undefined
        ? { ...delivery, onConflict: flow.onConflict }
        : { ...delivery, epoch: run.epoch },
    decide: (record, request) => decide(record, request, consumer.clock.now()),
    sleep: (milliseconds) => consumer.clock.sleep(milliseconds, invocation.signal),
    refusal: refusalOf(work),
    closing: closingOf(flow, now),
  }
}

function decide(record: StageRecord | undefined, request: Request, now: number): Verdict {
  return 'epoch' in request ? decideStage(record, request, now) : decideStart(record, request, now)
}

function closingOf(flow: Flow, now: number): Closing {
  return { order: flow.order, retention: flow.retention, now }
}

function refusalOf({ message }: Work): Death {
  return message.kind === 'refused' ? message.refusal : { reason: 'rejected', error: 'refused' }
}

function toClaim(given: StageWork, place: Place, claimant: Claimant, claim: StageClaim): Claim {
  if (claim.kind !== 'claimed' && claim.kind !== 'burying') {
    return { ...claim, about: aboutOf(given, place, claim) }
  }
  const { flow, stage, invocation, store, run } = given
  const { clock } = invocation.consumer
  const parts = {
    held: claim.held,
    key: place.key,
    sentAt: place.sentAt,
    store,
    commit: invocation.commit,
    decide: (record: StageRecord | undefined) => claimant.decide(record, claimant.request),
    closing: (error?: string) => ({
      ...closingOf(flow, clock.now()),
      ...(error === undefined ? {} : { error }),
    }),
    refusal: claimant.refusal,
  }
  const hold = stageHold(parts)
  if (claim.kind === 'burying') return { kind: 'burying', hold }
  return {
    kind: 'claimed',
    hold,
    scope: `${flow.name}.${stage}`,
    uniqueRequestId: place.uniqueRequestId,
    run: (payload, opened) => run(payload, opened, hold),
  }
}
