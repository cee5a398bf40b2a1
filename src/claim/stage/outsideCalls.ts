import { type OutsideCalls, STARTED } from '../hold.ts'
import { assertRoom, roomBeside } from '../room.ts'
import { superseded } from '../superseded.ts'
import { type HeldStage, explainRefusedWrite } from './heldStage.ts'
import { answerItem, answerKey, callState, markNotDone, markStarted, withEffect } from './marks.ts'
import type { Update } from '../../store/store.ts'
import type { ItemStore } from '../itemStore.ts'

interface OutsideCallsParts {
  readonly store: ItemStore
  /** No earlier attempt has had the stage in this run. */
  readonly first: boolean
  held(): HeldStage
  note(held: HeldStage): void
  /** See StageHold. */
  readonly keepUntil: number
  readonly traces: OutsideCalls['traces']
}

/** The largest result, in bytes. It has an item of its own, which holds 400 KB. */
const MAX_ANSWER = 350_000

/** Outside calls of a stage: started calls are marks on the record, results are items beside it. */
export function stageOutsideCalls(parts: OutsideCallsParts): OutsideCalls {
  return {
    async stored(name) {
      const held = parts.held()
      const answer = isFirst(parts) ? undefined : await readAnswer(parts, name)
      return answer ?? (callState(held, name).kind === 'inDoubt' ? STARTED : undefined)
    },
    async store(name, value, _before) {
      if (value === STARTED) return start(parts, name)
      const stands = await keep(parts, name, value)
      return stands === value ? undefined : stands
    },
    async forget(name) {
      const held = parts.held()
      const state = callState(held, name)
      if (state.kind === 'inDoubt') await mark(parts, markNotDone(held, name, state.nth))
    },
    ...(parts.traces && { traces: parts.traces }),
    takeBytes: () => MAX_ANSWER,
    assertRoom: (name) => assertRoom(roomBeside(parts.held().run.marks), name),
  }
}

/** No earlier attempt can have made a call, so nothing has to be read. */
function isFirst({ first, held }: OutsideCallsParts): boolean {
  return first && !held().run.reopened
}

async function readAnswer(parts: OutsideCallsParts, name: string): Promise<string | undefined> {
  const read = await parts.store.read(answerKey(parts.held(), name))
  if (read.kind === 'failed') throw read.error
  const answer = read.item?.['answer']
  return typeof answer === 'string' ? answer : undefined
}

/** @returns the stored text, when an earlier attempt has started the call */
async function start(parts: OutsideCallsParts, name: string): Promise<string | undefined> {
  const held = parts.held()
  const state = callState(held, name)
  if (state.kind === 'inDoubt') return STARTED
  // Calls that began side by side have seen the same room.
  assertRoom(roomBeside(held.run.marks), name)
  await mark(parts, markStarted(held, name, state.kind === 'never' ? 1 : state.nth + 1))
  return undefined
}

/** Stores the result, unless one is stored already: the first result stays. */
async function keep(parts: OutsideCallsParts, name: string, answer: string): Promise<string> {
  const item = answerItem(parts.held(), name, answer, parts.keepUntil)
  const outcome = await parts.store.create(item)
  if (outcome.kind === 'failed') throw outcome.error
  if (outcome.kind === 'applied') return answer
  const stands = outcome.item?.['answer']
  return typeof stands === 'string' ? stands : answer
}

async function mark(parts: OutsideCallsParts, update: Update): Promise<void> {
  const held = parts.held()
  const outcome = await parts.store.update({ ...update, needsNoItem: true })
  if (outcome.kind === 'failed') throw outcome.error
  const landed =
    outcome.kind === 'applied' || explainRefusedWrite(held, update, outcome.item).kind === 'written'
  if (!landed) throw superseded(held.entry.attempt, held.run.uniqueRequestId)
  parts.note(withEffect(parts.held(), update))
}
