import { decideAnswer, decideTimeout, type Receipt } from '../claim/awaiting/decideAnswer.ts'
import { TerminalError } from '../errors.ts'
import type { Item, StoreKey, WriteOutcome } from '../store/store.ts'
import type { StageStore } from './stageStore.ts'
import { type WaitingRun, asWaitingRun } from './findAwaiting.ts'

/** What an answer does to the step of one run. */
export type AnswerEffect =
  | StepComplete
  /** More answers are needed; or this one is not. */
  | { readonly kind: 'receipt'; readonly receipt: Exclude<Receipt, 'superseded'> }
  | { readonly kind: 'early'; readonly until: number }

/** The step is complete by it, or was by a copy of it: the flow goes on, if that has not been done. */
export interface StepComplete {
  readonly kind: 'goesOn'
  readonly waiting: WaitingRun
  readonly by: 'this' | 'a copy'
}

export interface StoredAnswer {
  readonly externalId: string
  readonly hash: string
  readonly body: string
  /** Epoch milliseconds: as long as a join may need it. */
  readonly keepUntil: number
}

const ROUNDS = 16

/** Kept, then counted: by the one write that counts the last needed one the step is complete, once. */
export async function takeAnswer(
  store: StageStore,
  first: WaitingRun,
  answer: StoredAnswer,
): Promise<AnswerEffect> {
  let waiting = first
  for (let round = 0; round < ROUNDS; round++) {
    const decision = decideAnswer(waiting.awaiting, { stepId: waiting.stepId, hash: answer.hash })
    if (decision.kind === 'over') return { kind: 'receipt', receipt: decision.receipt }
    if (decision.kind === 'continue') return { kind: 'goesOn', waiting, by: 'a copy' }
    if (isJoin(waiting)) await keep(store, waiting, answer)
    const outcome = await store.update(decision.update)
    const next = judge(waiting, outcome)
    if (next === 'written') {
      return decision.fills
        ? { kind: 'goesOn', waiting, by: 'this' }
        : { kind: 'receipt', receipt: 'accepted' }
    }
    waiting = next
  }
  return { kind: 'early', until: 0 }
}

/** The time is up: unless an answer was first, the flow goes on without one. */
export async function takeTimeout(
  store: StageStore,
  first: WaitingRun,
  now: number,
): Promise<AnswerEffect> {
  let waiting = first
  for (let round = 0; round < ROUNDS; round++) {
    const decision = decideTimeout(waiting.awaiting, now)
    if (decision.kind === 'over') return { kind: 'receipt', receipt: 'late' }
    if (decision.kind === 'early') return decision
    if (decision.kind === 'continue') return { kind: 'goesOn', waiting, by: 'a copy' }
    const next = judge(waiting, await store.update(decision.update))
    if (next === 'written') return { kind: 'goesOn', waiting, by: 'this' }
    waiting = next
  }
  return { kind: 'early', until: 0 }
}

function judge(waiting: WaitingRun, outcome: WriteOutcome): WaitingRun | 'written' {
  if (outcome.kind === 'failed') throw outcome.error
  if (outcome.kind === 'applied') return 'written'
  if (outcome.item === undefined)
    return { ...waiting, awaiting: { ...waiting.awaiting, steps: new Map() } }
  return asWaitingRun(outcome.item, waiting)
}

function isJoin({ awaiting }: WaitingRun): boolean {
  return awaiting.steps.size > 1
}

/** One item per answer: who completes the join reads all of them. */
async function keep(store: StageStore, waiting: WaitingRun, answer: StoredAnswer): Promise<void> {
  const { externalId, hash, body, keepUntil } = answer
  if (Buffer.byteLength(body) > MAX_ANSWER) {
    throw new TerminalError(
      `the answer for '${externalId}' has more than ${MAX_ANSWER} bytes and cannot be kept for the join: send a reference`,
    )
  }
  const item = { ...answerKey(waiting, waiting.stepId, hash), externalId, body }
  const outcome = await store.create({ ...item, ttl: Math.ceil(keepUntil / 1_000) })
  if (outcome.kind === 'failed') throw outcome.error
}

const MAX_ANSWER = 350_000

function answerKey(
  { awaiting }: WaitingRun,
  stepId: string,
  hash: string,
): { readonly pk: string; readonly sk: string } {
  return { pk: awaiting.key.pk, sk: `${awaiting.key.sk}#${stepId}#${hash}` }
}

/**
 * What the step has got, by external id. Answers that came when it was complete are not among them.
 * @throws when one of them cannot be read now: a join must not go on as if it had not been given
 */
export async function readAnswers(
  store: StageStore,
  waiting: WaitingRun,
): Promise<ReadonlyMap<string, string>> {
  const answered = [...waiting.awaiting.steps].flatMap(([stepId, hash]) =>
    hash === undefined ? [] : [answerKey(waiting, stepId, hash)],
  )
  const answers = await Promise.all(answered.map((key) => readAnswer(store, key)))
  return new Map(answers.flatMap(asEntry))
}

async function readAnswer(store: StageStore, key: StoreKey): Promise<Item | undefined> {
  const read = await store.read(key)
  if (read.kind === 'failed') throw read.error
  return read.item
}

function asEntry(item: Item | undefined): [string, string][] {
  const { externalId, body } = item ?? {}
  return typeof externalId === 'string' && typeof body === 'string' ? [[externalId, body]] : []
}
