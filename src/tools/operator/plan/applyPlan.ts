import {
  onlyOutcome,
  outcomeOrThrow,
  type Item,
  type Store,
  type Update,
  type WriteOutcome,
} from '../../../store/store.ts'
import { QueueRefusedError } from '../../../base/errors.ts'
import { writeEnding } from '../../../claim/stage/writeEnding.ts'
import { endUndoableRun } from '../../../features/undo/sweepUndo.ts'
import { itemStore } from '../../../claim/itemStore.ts'
import { isoTime } from '../../../base/time.ts'
import type { Messenger } from '../../../send/messenger.ts'
import type { PlannedChange, PlannedEffect } from './plan.ts'

interface ApplyOptions {
  /** Who makes the change, and why. Both are recorded on the item. */
  readonly by: string
  readonly why: string
  /** Apply even if an attempt holds the lease: that attempt can then write nothing more. */
  readonly force: boolean
  readonly now: number
  /** Used by plans that send messages. */
  readonly messenger: Messenger
}

export type ApplyResult =
  | { readonly kind: 'applied' }
  /** Nothing was changed. */
  | { readonly kind: 'refused'; readonly because: 'live lease' | 'outdated' }

/**
 * Applies a plan if everything that it shows is unchanged.
 * @throws StoreUnavailableError, QueueRefusedError: make the plan again, and apply what is left of it
 */
export async function applyPlan(
  store: Store,
  plan: PlannedChange,
  operator: ApplyOptions,
): Promise<ApplyResult> {
  if (plan.liveLease !== undefined && plan.liveLease > operator.now && !operator.force) {
    return { kind: 'refused', because: 'live lease' }
  }
  const record = {
    operatorDid: plan.action,
    operatorBy: operator.by,
    operatorAt: isoTime(operator.now),
    operatorWhy: operator.why,
  }
  const carried = await applyEffect(store, plan.effect, record, operator)
  return carried ? { kind: 'applied' } : { kind: 'refused', because: 'outdated' }
}

type OperatorStamp = Readonly<Record<string, string>>

async function applyEffect(
  store: Store,
  effect: PlannedEffect,
  record: OperatorStamp,
  { messenger, now }: ApplyOptions,
): Promise<boolean> {
  switch (effect.kind) {
    case 'update':
      return write(store, withStamp(effect.update, record))
    case 'updates':
      for (const update of effect.updates) {
        if (!(await write(store, withStamp(update, record)))) return false
      }
      return true
    case 'end': {
      const reset = withStamp(effect.ending.reset, record)
      return wasWritten(await writeEnding(itemStore(store), { ...effect.ending, reset }), reset)
    }
    case 'undo': {
      const { fence, retention } = effect
      if (!(await write(store, withStamp(fence, record)))) return false
      const { item } = outcomeOrThrow(await store.read([fence.key], { consistent: true }))
      if (item !== undefined) await endUndoableRun(item, { store, messenger, now, retention })
      return true
    }
    case 'send':
      if (effect.before !== undefined && !(await write(store, effect.before))) return false
      if (!(await write(store, withStamp(effect.mark, record)))) return false
      await send(effect, messenger)
      // A refusal means that the message was faster, or that the time was moved since: the queue has it either way.
      if (effect.afterwards !== undefined) outcomeOrThrow(await store.update([effect.afterwards]))
      return true
  }
}

function withStamp(update: Update, record: OperatorStamp): Update {
  return { ...update, set: { ...update.set, ...record } }
}

async function write(store: Store, update: Update): Promise<boolean> {
  const outcome = onlyOutcome(await store.update([update]))
  return wasWritten(outcome, update)
}

/**
 * Whether the item already shows the whole write, by this operator at this time: then it is our own write, retried after a lost
 * answer.
 */
function wasWritten(outcome: WriteOutcome, update: Update): boolean {
  if (outcome.kind === 'failed') throw outcome.error
  return outcome.kind === 'applied' || shows(outcome.item, update)
}

function shows(item: Item | undefined, { set = {}, remove = [] }: Update): boolean {
  if (item === undefined || set['operatorAt'] === undefined) return false
  return (
    Object.entries(set).every(([name, value]) => item[name] === value) &&
    remove.every((name) => item[name] === undefined)
  )
}

async function send(
  { queueUrl, message }: Extract<PlannedEffect, { kind: 'send' }>,
  messenger: Messenger,
): Promise<void> {
  const [refusal] = await messenger.send(queueUrl, [message])
  if (refusal === undefined) return
  throw new QueueRefusedError(
    `${queueUrl} did not accept the message (${refusal.message}); it was not sent. Run the command again.`,
    { cause: refusal },
  )
}
