import {
  type Awaiting,
  stepIdOf,
  stepNameIn,
  readAwaiting,
} from '../../../library/protocol/claim/awaiting/awaiting.ts'
import { readExternalIds } from '../../../library/protocol/claim/awaiting/saveAwaiting.ts'
import {
  decideAnswer,
  type Receipt,
  refusalOfAnswer,
} from '../../../library/protocol/claim/awaiting/decideAnswer.ts'
import { storedAnswer } from '../../../library/protocol/claim/awaiting/takeAnswer.ts'
import {
  stepAddress,
  stepMessage,
  timeoutReminder,
} from '../../../library/protocol/claim/awaiting/stepMessage.ts'
import { stableId } from '../../../library/base/ids.ts'
import { isoTime } from '../../../library/base/time.ts'
import { indexed } from '../../../library/protocol/claim/statusIndex.ts'
import type {
  Condition,
  Item,
  Store,
  StoreKey,
  Update,
} from '../../../library/protocol/store/store.ts'
import { canContinue, headOf, type LoadedStep } from './loadedStep.ts'
import {
  type ChangePlan,
  is,
  noChange,
  type NoChange,
  planned,
  type PlannedChange,
  type PlanHead,
} from './applyPlan.ts'
import { readStageRecord } from '../../../library/protocol/claim/stage/stageRecord.ts'
import type { Clock } from '../../../library/base/clock.ts'
import { loadItem } from '../../../library/entries/sweeper/due/listDue.ts'

/** `receipt`: of an answer that is not sent. `sent`: what to look for in the table after it was. */
export type CompletePlan =
  | (NoChange & { readonly receipt?: Receipt })
  | (PlannedChange & { readonly sent: SentAnswer })

/**
 * Answers for the outside system: the message goes to the step's queue. The table shows no answer yet: the step's own function
 * validates it first, and then counts it.
 * @param payload a JSON value
 * @param externalId default: the one that the payload holds, or the only one that is not answered
 */
export function planComplete(
  step: LoadedStep,
  payload: unknown,
  externalId: string | undefined,
  now: number,
): CompletePlan {
  const about = headOf('decide answer', step, now)
  const { awaiting } = step
  if (!canContinue(step)) return runIsOver(step, about, payload, externalId)
  const to = stepAddress(awaiting, step.item)
  if (to === undefined) return noChange('impossible', about, NO_QUEUE)
  const found = findStepId(awaiting, to.name, payload, externalId)
  if (found === undefined) {
    return { ...noChange('impossible', about, unmatched(externalId)), receipt: 'unknown' }
  }
  const body = JSON.stringify(payload)
  const { stepId } = found
  const { hash } = storedAnswer(body, '')
  const decision = decideAnswer(awaiting, { stepId, hash })
  if (decision.kind !== 'accept') {
    const receipt = decision.kind === 'continue' ? 'duplicate' : decision.receipt
    const kind = receipt === 'duplicate' ? 'nothing' : 'impossible'
    return { ...noChange(kind, about, RECEIPT_TEXTS[receipt]), receipt }
  }
  // The id contains the time: a FIFO queue drops a message whose id it has seen within five minutes, also after its consumer refused it.
  const id = stableId(awaiting.key.pk, awaiting.key.sk, stepId, body, String(now))
  const changes = [
    `the answer ${body} is sent to ${to.queueUrl}`,
    ...(found.isNamed ? [] : notNamed(step)),
    "the step's function validates it first: if it refuses it, the step goes on waiting",
    decision.fills
      ? 'then the step is complete, and its flow continues'
      : `then the step counts it, and waits for ${awaiting.need - awaiting.count - 1} more`,
  ]
  const plan = planned(about, changes, {
    kind: 'send',
    mark: { key: awaiting.key, where: decision.update.where },
    queueUrl: to.queueUrl,
    message: stepMessage(awaiting, to, { uniqueRequestId: id, body, now }),
    afterwards: undefined,
  })
  return { ...plan, sent: { key: awaiting.key, id, stepId, hash } }
}

/** Typed again after its answer was taken, the command has nothing to do: mostly the run has ended by then. */
function runIsOver(
  { awaiting }: LoadedStep,
  about: PlanHead,
  payload: unknown,
  externalId: string | undefined,
): NoChange & { readonly receipt?: Receipt } {
  const found = findStepId(awaiting, stepNameIn(awaiting.key), payload, externalId)
  const { hash } = storedAnswer(JSON.stringify(payload), '')
  return found !== undefined && awaiting.steps.get(found.stepId) === hash
    ? noChange('nothing', about, TAKEN_BEFORE)
    : { ...noChange('impossible', about, RUN_OVER), receipt: 'superseded' }
}

const TAKEN_BEFORE = 'the step has taken this answer before, and its run is over by now'
const RUN_OVER = 'the run that waited is over (receipt: superseded)'
const NO_QUEUE =
  'the step has no queue (awaitingSteps.<step>.queueUrl), so the answer cannot be sent from here: send the message to its queue yourself'
function notNamed({ item }: LoadedStep): readonly string[] {
  const [id] = readExternalIds(item)
  return [
    `the payload does not contain the external id${id === undefined ? '' : ` ${id}`} as it is: the function finds it with awaitingSteps.<step>.id, and refuses the answer of another one`,
    'an answer is what the outside system would send, all fields of it; --schema FILE#EXPORT checks it before it is sent',
  ]
}
const RECEIPT_TEXTS = {
  duplicate: 'this answer was accepted before (receipt: duplicate)',
  conflict:
    'another answer was accepted before (receipt: conflict). If its handler has died: lineclear decide FLOW/KEY again',
  late: 'the step is complete, or has timed out (receipt: late). If its handler has died: lineclear decide FLOW/KEY again',
  unknown: 'no step waits for this answer',
} as const

function unmatched(externalId: string | undefined): string {
  return externalId === undefined
    ? 'the step waits for several external ids, and the payload contains none of them: give one by --external-id'
    : 'the step does not wait for this external id (receipt: unknown)'
}

/** Ends the wait as if it had timed out: the handler's `onTimeout` continues the flow. */
export function planFail(step: LoadedStep, now: number): ChangePlan {
  const about = headOf('decide timeout', step, now)
  const { awaiting, item } = step
  if (!canContinue(step)) return noChange('nothing', about, 'its run is over')
  if (awaiting.joinedBy === 'timeout') return noChange('nothing', about, 'it has timed out already')
  if (awaiting.joinedBy !== undefined) return noChange('impossible', about, RECEIPT_TEXTS.late)
  if (item[TIMEOUT_SENT] !== undefined && awaiting.until <= now) {
    return noChange(
      'nothing',
      about,
      'its wait was ended before, and its queue has accepted the message',
    )
  }
  const reminder = timeoutReminder(awaiting, item, now)
  if (reminder === undefined) return noChange('impossible', about, NO_QUEUE)
  const until = Math.min(awaiting.until, now)
  const where: Condition[] = [
    { absent: 'joinedBy' },
    is('until', awaiting.until),
    is('count', awaiting.count),
    is('epoch', awaiting.epoch),
  ]
  const mark: Update = {
    key: awaiting.key,
    where,
    set: { until, ...indexed(awaiting.key.pk, 'awaiting', until) },
    remove: [TIMEOUT_SENT],
  }
  const afterwards: Update = {
    key: awaiting.key,
    where: [is('until', until)],
    set: { [TIMEOUT_SENT]: isoTime(now) },
  }
  return planned(
    about,
    [
      'the step stops waiting now: its flow continues with onTimeout',
      'a later answer gets the receipt late',
    ],
    { kind: 'send', mark, ...reminder, afterwards },
  )
}

/** When the queue accepted the timeout message. Until it has, the same command sends the message again. */
export const TIMEOUT_SENT = 'timeoutSent'

/**
 * In most payloads one of the texts is the external id. A payload that builds it of several has to be for the only one left.
 * @returns `isNamed`: the operator, or the payload, names the external id
 */
function findStepId(
  { steps, uniqueRequestId }: Awaiting,
  name: string,
  payload: unknown,
  given: string | undefined,
) {
  const texts = given === undefined ? textsIn(payload) : [given]
  const named = texts
    .map((text) => stepIdOf(name, text, uniqueRequestId))
    .find((stepId) => steps.has(stepId))
  if (named !== undefined) return { stepId: named, isNamed: true }
  const open = steps.size === 1 ? [...steps] : [...steps].filter(([, hash]) => hash === undefined)
  const [only, ...others] = open
  if (given !== undefined || only === undefined || others.length > 0) return undefined
  return { stepId: only[0], isNamed: false }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

interface SentAnswer {
  /** Key of the step. */
  readonly key: StoreKey
  /** Id of the message. */
  readonly id: string
  readonly stepId: string
  /** Hash of the body. */
  readonly hash: string
}

/**
 * What has become of an answer. `taken`: the step has counted it. `refused`: the step's function has dead-lettered it, and the step
 * waits. `conflict`: another answer was counted for the id. `late`: the step is complete without it, or has timed out.
 * `superseded`: the run is over. `sent`: it is still on its way.
 */
export interface AnswerFate {
  readonly kind: 'taken' | 'refused' | 'conflict' | 'late' | 'superseded' | 'sent'
  /** Why the step's function refused it. */
  readonly why?: string
}

function fateOfAnswer(
  { id, stepId, hash }: SentAnswer,
  item: Item | undefined,
  record: Item | undefined,
): AnswerFate {
  const awaiting = item && readAwaiting(item)
  if (item === undefined || awaiting === undefined) return { kind: 'superseded' }
  const counted = awaiting.steps.get(stepId)
  if (counted !== undefined) return { kind: counted === hash ? 'taken' : 'conflict' }
  const why = refusalOfAnswer(item, id)
  if (why !== undefined) return { kind: 'refused', why }
  if (awaiting.joinedBy !== undefined) return { kind: 'late' }
  const run = record && readStageRecord(record)?.run
  // A dead run whose step was reopened holds no key until the answer has revived it.
  const waits = run?.uniqueRequestId === awaiting.uniqueRequestId || awaiting.reopened
  return { kind: waits ? 'sent' : 'superseded' }
}

const PAUSES_MS = [200, 300, 500, 1_000, 2_000]

/**
 * Reads the step until it shows what has become of the answer, or `most` milliseconds have passed.
 * @param onWait called with the milliseconds waited so far
 */
export async function followAnswer(
  store: Store,
  clock: Clock,
  sent: SentAnswer,
  most: number,
  onWait: (waited: number) => void = () => {},
): Promise<AnswerFate> {
  let waited = 0
  for (let round = 0; ; round++) {
    // In this order: an answer that is taken may end the run at once.
    const record = await loadItem(store, { pk: sent.key.pk, sk: 'stage' })
    const item = await loadItem(store, sent.key)
    const fate = fateOfAnswer(sent, item, record)
    if (fate.kind !== 'sent' || waited >= most) return fate
    const pause = Math.min(PAUSES_MS[round] ?? 2_000, most - waited)
    await clock.sleep(pause)
    waited += pause
    onWait(waited)
  }
}
