import {
  onlyOutcome,
  outcomeOrThrow,
  type Item,
  type Store,
  type Update,
  type WriteOutcome,
  type Comparable,
  type Condition,
  hasNoAnswer,
} from '../../../library/protocol/store/store.ts'
import { SendFailedError } from '../../../library/base/errors.ts'
import { writeEnding } from '../../../library/protocol/claim/stage/writeEnding.ts'
import { itemStore } from '../../../library/protocol/claim/itemStore.ts'
import { isoTime } from '../../../library/base/time.ts'
import type { Messenger, QueueMessage } from '../../../library/protocol/send/messenger.ts'
import type { RunDrop } from '../../../library/protocol/claim/stage/dropRun.ts'
import type { RunEnding } from '../../../library/protocol/claim/stage/endRun.ts'
import type { Decision } from '../item/decisions.ts'
import { planName } from '../text/planName.ts'

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
 * @throws StoreUnavailableError, SendFailedError: make the plan again, and apply what is left of it
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
  { messenger }: ApplyOptions,
): Promise<boolean> {
  switch (effect.kind) {
    case 'updates':
      for (const update of effect.updates) {
        if (!(await write(store, withStamp(update, record)))) return false
      }
      return true
    case 'end': {
      const { mark, ending, afterwards } = effect
      if (mark !== undefined && !(await write(store, withStamp(mark, record)))) return false
      const finish = withStamp(ending.finish, record)
      const ended = await writeEnding(itemStore(store), { ...ending, finish })
      if (!wasWritten(ended, finish)) return false
      return afterwards === undefined || write(store, withStamp(afterwards, record))
    }
    case 'send':
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
  if (hasNoAnswer(outcome)) throw outcome.error
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
  throw new SendFailedError(
    `${queueUrl} did not accept the message (${refusal.message}); it was not sent. Run the command again.`,
    { cause: refusal },
  )
}

/** What an operator's command would change, given what is in the table now. */
export type ChangePlan = PlannedChange | NoChange

export interface PlanHead {
  readonly action: OperatorAction
  /** `consumer/ID` or `flow/KEY`. */
  readonly id: string
  readonly standing: readonly string[]
}

export interface PlannedChange extends PlanHead {
  readonly kind: 'change'
  readonly changes: readonly string[]
  /** Until when an attempt may run, epoch milliseconds. The plan is then not applied without `force`. */
  readonly liveLease: number | undefined
  readonly effect: PlannedEffect
}

/** `nothing`: the item is in that state already. `impossible`: the change would be wrong. `missing`: there is no such item. */
export interface NoChange extends PlanHead {
  readonly kind: 'nothing' | 'impossible' | 'missing'
  readonly because: string
}

/** As items and the audit keep it. */
export type OperatorAction = `decide ${Decision}`

/**
 * Each write is conditional on exactly what was shown. `send`: first `mark`, which is refused if something has changed, then the
 * message, then `afterwards`. If it is killed in between, the same command does the rest.
 */
type PlannedEffect =
  /** In this order. If it is killed in between, the same command does the rest. */
  | { readonly kind: 'updates'; readonly updates: readonly Update[] }
  | ({ readonly kind: 'end'; readonly ending: RunEnding } & Partial<RunDrop>)
  | {
      readonly kind: 'send'
      readonly mark: Update
      readonly queueUrl: string
      readonly message: QueueMessage
      readonly afterwards: Update | undefined
    }

/** @param liveLease until when an attempt may run */
export function planned(
  about: PlanHead,
  changes: readonly string[],
  effect: PlannedEffect,
  liveLease?: number,
): PlannedChange {
  return { kind: 'change', ...about, changes, liveLease, effect }
}

export function is(field: string, value: Comparable): Condition {
  return { field, is: '=', value }
}

export function noChange(kind: NoChange['kind'], about: PlanHead, because: string): NoChange {
  return { kind, ...about, because }
}

/**
 * Two plans have one fingerprint if they would do the same to the same state. The conditions of the write hold all that was shown
 * of the item, and no time of day. Times in `set` differ from plan to plan, so the arguments are hashed in its place.
 * @param args what the operator typed, beside the options of all commands
 */
export function planFingerprint(plan: PlannedChange, args: readonly string[]): string {
  return planName([plan.action, plan.id, args, conditionsOf(plan), plan.changes])
}

function conditionsOf({ effect }: PlannedChange): unknown {
  switch (effect.kind) {
    case 'updates':
      return effect.updates.map(({ key, where }) => [key, inOneOrder(where)])
    case 'end':
      return [effect.mark, effect.ending.finish].map(
        (update) => update && [update.key, inOneOrder(update.where)],
      )
    case 'send':
      return [effect.mark.key, inOneOrder(effect.mark.where), effect.queueUrl]
  }
}

/** DynamoDB gives the attributes of an item in any order, so two reads of one item may give the same conditions in two orders. */
function inOneOrder(where: readonly Condition[]): readonly string[] {
  return where.map((each) => JSON.stringify(each)).toSorted()
}
