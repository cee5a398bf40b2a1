// @acts

import { hash } from 'node:crypto'
import { LostAnswerError, TerminalError } from '../../../base/errors.ts'
import {
  type Item,
  type StoreKey,
  type Update,
  type WriteOutcome,
  hasNoAnswer,
} from '../../store/store.ts'
import { decideAndWrite, type Done, done, look, type Look } from '../decideAndWrite.ts'
import type { ItemStore } from '../itemStore.ts'
import type { Awaiting } from './awaiting.ts'
import { decideAnswer, decideTimeout, type Receipt } from './decideAnswer.ts'
import { asWaitingRun, type WaitingRun } from './waitingRuns.ts'

/** What an answer does to the step of one run. */
export type AnswerEffect =
  | StepComplete
  /** The step needs more answers, or does not need this one. */
  | { readonly kind: 'receipt'; readonly receipt: Exclude<Receipt, 'superseded'> }
  | { readonly kind: 'early'; readonly until: number }

/** The step is complete by this answer or by a copy of it: the run continues, unless it has continued before. */
export interface StepComplete {
  readonly kind: 'stepComplete'
  readonly waiting: WaitingRun
  readonly by: 'this' | 'a copy'
}

export interface StoredAnswer {
  readonly externalId: string
  readonly hash: string
  readonly body: string
}

/** Two answers are the same when their bodies are the same text. */
export function storedAnswer(body: string, externalId: string): StoredAnswer {
  return { externalId, hash: hash('sha256', body, 'base64url'), body }
}

/**
 * Stores the answer first and counts it second. The one write that counts the last answer completes the step, so that happens
 * once.
 */
export function takeAnswer(
  store: ItemStore,
  first: WaitingRun,
  answer: StoredAnswer,
): Promise<AnswerEffect> {
  return decideAndWrite<WaitingRun, AnswerEffect>(
    first,
    (waiting) => {
      const { awaiting, stepId } = waiting
      const decision = decideAnswer(awaiting, { stepId, hash: answer.hash })
      if (decision.kind === 'over') return done({ kind: 'receipt', receipt: decision.receipt })
      if (decision.kind === 'continue') return done(stepComplete(waiting, 'a copy'))
      const effect: AnswerEffect = decision.fills
        ? stepComplete(waiting, 'this')
        : { kind: 'receipt', receipt: 'accepted' }
      const write = async () => {
        // @protects an answer of a join is stored before it is counted
        // @tests test/flow/awaits
        if (isJoin(waiting)) await storeAnswer(store, waiting, answer)
        return writeStep(store, waiting, decision.update, effect)
      }
      return { kind: 'write', write }
    },
    tryAgainSoon,
  )
}

/** The step's time is over: the run continues without an answer, unless an answer was counted first. */
export function takeTimeout(
  store: ItemStore,
  first: WaitingRun,
  now: number,
): Promise<AnswerEffect> {
  return decideAndWrite<WaitingRun, AnswerEffect>(
    first,
    (waiting) => {
      const decision = decideTimeout(waiting.awaiting, now)
      if (decision.kind === 'over') return done({ kind: 'receipt', receipt: 'late' })
      if (decision.kind === 'early') return done(decision)
      if (decision.kind === 'continue') return done(stepComplete(waiting, 'a copy'))
      const effect = stepComplete(waiting, 'this')
      return { kind: 'write', write: () => writeStep(store, waiting, decision.update, effect) }
    },
    tryAgainSoon,
  )
}

/** In every round another answer was counted first. The message waits on its queue for a moment. */
function tryAgainSoon(): AnswerEffect {
  return { kind: 'early', until: 0 }
}

function stepComplete(waiting: WaitingRun, by: StepComplete['by']): StepComplete {
  return { kind: 'stepComplete', waiting, by }
}

async function writeStep(
  store: ItemStore,
  waiting: WaitingRun,
  update: Update,
  effect: AnswerEffect,
): Promise<Done<AnswerEffect> | Look<WaitingRun>> {
  const outcome: WriteOutcome = await store.update(update)
  if (hasNoAnswer(outcome)) throw outcome.error
  if (outcome.kind === 'applied') return done(effect)
  const { awaiting } = waiting
  return look(
    outcome.item === undefined
      ? { ...waiting, awaiting: { ...awaiting, steps: new Map() } }
      : asWaitingRun(outcome.item, waiting),
  )
}

function isJoin({ awaiting }: WaitingRun): boolean {
  return awaiting.steps.size > 1
}

/** The largest answer of a join, in bytes. It has an item of its own, which holds 400 KB. */
const MAX_ANSWER_BYTES = 350_000

/** Each answer has an item of its own. The message that completes the join reads all of them. */
async function storeAnswer(
  store: ItemStore,
  { awaiting, stepId }: WaitingRun,
  answer: StoredAnswer,
): Promise<void> {
  if (Buffer.byteLength(answer.body) > MAX_ANSWER_BYTES) {
    throw new TerminalError(
      `the answer for '${answer.externalId}' has more than ${MAX_ANSWER_BYTES} bytes and cannot be kept for the join: send a ` +
        `reference`,
    )
  }
  const outcome = await store.create(storedAnswerItem(awaiting, stepId, answer))
  if (hasNoAnswer(outcome)) throw outcome.error
}

function storedAnswerItem(
  awaiting: Awaiting,
  stepId: string,
  { externalId, hash: answerHash, body }: StoredAnswer,
): Item & StoreKey {
  const { ttl } = awaiting
  const lasts = ttl === undefined ? {} : { ttl }
  return { ...answerKey(awaiting, stepId, answerHash), externalId, body, ...lasts }
}

function answerKey({ key }: Awaiting, stepId: string, answerHash: string): StoreKey {
  return { pk: key.pk, sk: `${key.sk}#${stepId}#${answerHash}` }
}

/**
 * Reads the answers of the step by external id, without those that came after the step was complete.
 * @throws LostAnswerError when one of them is gone, and what the store throws when it cannot be read: a join must not continue as if an
 * answer had not been given
 */
export async function readAnswers(
  store: ItemStore,
  { awaiting }: WaitingRun,
): Promise<ReadonlyMap<string, string>> {
  const answered = [...awaiting.steps].flatMap(([stepId, answerHash]) =>
    answerHash === undefined ? [] : [answerKey(awaiting, stepId, answerHash)],
  )
  return new Map(
    await Promise.all(
      answered.map((key) =>
        // @protects a join does not go on without an answer that it was given
        // @without readAnswer(store, key).catch(() => ['', '{}'] as const) @tests test/proof/lifetimes/joins
        readAnswer(store, key),
      ),
    ),
  )
}

async function readAnswer(store: ItemStore, key: StoreKey): Promise<[string, string]> {
  const read = await store.read(key)
  if (hasNoAnswer(read)) throw read.error
  const { externalId, body } = read.item ?? {}
  if (typeof externalId === 'string' && typeof body === 'string') return [externalId, body]
  throw new LostAnswerError(
    `an answer that the join was given is gone from the table (${key.sk}): restored from a backup, or deleted by hand. The handler ` +
      'was not run. Start the request again, or put the answer back and redrive this dead letter',
  )
}
