// @acts

import { hasNoAnswer, type Update } from '../../store/store.ts'
import { type AppliedEffects, type OutsideCalls, STARTED, superseded } from '../hold.ts'
import type { ItemStore } from '../itemStore.ts'
import { assertRoom, roomBeside } from '../room.ts'
import {
  addStageEffect,
  answerItem,
  answerKey,
  callState,
  explainRefusedWrite,
  isApplied,
  markNotDone,
  markStarted,
} from './heldStage.ts'
import type { HeldStage } from './stageOwnedBy.ts'

/** The stage as its attempt knows it. */
export interface OwnStage {
  /** @throws when it is not open */
  open(): HeldStage
  /** A mark that the record has now. */
  note(update: Update): void
}

/** Effects in the user's tables are marks on the stage record. */
export function stageEffects({ open, note }: OwnStage): AppliedEffects {
  return {
    mark: (name) => {
      const held = open()
      if (isApplied(held, name)) return undefined
      assertRoom(roomBeside(held.run.marks), name)
      return addStageEffect(held, name)
    },
    marked: (name) => note(addStageEffect(open(), name)),
    judge: (item, name) => {
      const held = open()
      const meaning = explainRefusedWrite(held, addStageEffect(held, name), item)
      return meaning.kind === 'written' ? 'set' : 'lost'
    },
  }
}

/** The largest result, in bytes. It has an item of its own, which holds 400 KB. */
const MAX_ANSWER = 350_000

interface CallOptions {
  readonly store: ItemStore
  /** No earlier attempt has had the stage in this run. */
  readonly first: boolean
  /** Until when results are kept, epoch milliseconds. */
  readonly keepUntil: number
  readonly attempt: number
}

/** Outside calls of a stage: started calls are marks on the record, results are items beside it. */
export function stageCalls(own: OwnStage, options: CallOptions): OutsideCalls {
  const { store, first, keepUntil } = options
  const { open } = own
  return {
    stored: async (name) => {
      const held = open()
      // No earlier attempt can have made a call, so nothing has to be read.
      const answer =
        first &&
        // @protects a redriven run looks for the results of its dead attempts
        !held.run.reopened
          ? undefined
          : await readAnswer(store, held, name)
      return answer ?? (callState(held, name).kind === 'inDoubt' ? STARTED : undefined)
    },
    store: async (name, value) => {
      if (value === STARTED) return startCall(own, options, name)
      // The first result stays.
      const outcome = await store.create(answerItem(open(), name, value, keepUntil))
      if (hasNoAnswer(outcome)) throw outcome.error
      const stands = outcome.kind === 'applied' ? value : outcome.item?.['answer']
      return typeof stands === 'string' && stands !== value ? stands : undefined
    },
    forget: async (name) => {
      const held = open()
      const state = callState(held, name)
      if (state.kind === 'inDoubt') await mark(own, options, markNotDone(held, name, state.nth))
    },
    takeBytes: () => MAX_ANSWER,
    assertRoom: (name) => assertRoom(roomBeside(open().run.marks), name),
  }
}

async function readAnswer(
  store: ItemStore,
  held: HeldStage,
  name: string,
): Promise<string | undefined> {
  const read = await store.read(answerKey(held, name))
  if (hasNoAnswer(read)) throw read.error
  const answer = read.item?.['answer']
  return typeof answer === 'string' ? answer : undefined
}

/** @returns the stored text, when an earlier attempt has started the call */
async function startCall(
  own: OwnStage,
  options: CallOptions,
  name: string,
): Promise<string | undefined> {
  const held = own.open()
  const state = callState(held, name)
  // @protects a call that was begun is not begun again
  if (state.kind === 'inDoubt') return STARTED
  // Calls that began side by side have seen the same room.
  assertRoom(roomBeside(held.run.marks), name)
  await mark(own, options, markStarted(held, name, state.kind === 'never' ? 1 : state.nth + 1))
  return undefined
}

async function mark(
  { open, note }: OwnStage,
  { store, attempt }: CallOptions,
  update: Update,
): Promise<void> {
  const held = open()
  const outcome = await store.update({ ...update, needsNoItem: true })
  if (hasNoAnswer(outcome)) throw outcome.error
  const isWritten =
    outcome.kind === 'applied' || explainRefusedWrite(held, update, outcome.item).kind === 'written'
  if (!isWritten) throw superseded(attempt, held.run.uniqueRequestId)
  note(update)
}
