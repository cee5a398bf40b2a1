import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ClaimStrategy } from '../deliver/claimStrategy.ts'
import type { RunEnder } from '../claim/stage/stageClaim.ts'
import type { StageHold } from '../claim/stage/stageHold.ts'
import type { HandlerResult } from '../context/handlerResult.ts'
import type { RecordContext } from '../context/context.ts'
import type { OpenContext } from '../context/openContext.ts'
import type { Messenger } from '../send/messenger.ts'
import type { Store } from '../store/store.ts'
import type { Consumer } from '../deliver/consumer.ts'
import type { Handle } from '../deliver/tokenStrategy.ts'

/** What is known of an effect that has to be undone. */
export interface MadeEffect {
  /** Its name in `ctx.write`, `ctx.call` or `ctx.sql`. */
  readonly name: string
  /**
   * `yes`: it was made. `unknown`: an outside call was begun, and it is unknown whether it reached the outside system: ask it, or
   * cancel what may not exist.
   */
  readonly state: 'yes' | 'unknown'
  /** The stored result of `ctx.call` or `ctx.sql`. undefined: it is not known, or there is none. */
  readonly answer: unknown
  /** The key that `ctx.call` made its call with. */
  readonly idempotencyKey: string
  /** The request that has made it. `ctx.uniqueRequestId` identifies its undo. */
  readonly uniqueRequestId: string
}

/**
 * Undoes one effect. It runs as a record of its own: retried, and dead-lettered after its last attempt. What it does through `ctx`
 * happens once. A newer request may run beside it: a write that puts, deletes, sets or removes needs a guard, only `add` goes without.
 */
export type UndoHandler<Payload, Ctx = RecordContext> = (
  payload: Payload,
  ctx: Ctx,
  made: MadeEffect,
) => HandlerResult

/**
 * By the name of the effect, in the order in which the effects are made; `'line:*'` stands for all names that begin with `line:`.
 * `'keep'`: the effect stays.
 */
export type UndoHandlers<Payload, Ctx = RecordContext> = Readonly<
  Record<string, UndoHandler<Payload, Ctx> | 'keep'>
>

/** How the effects of a stage, or of a consumer's records, are undone, whatever the payload. */
export interface AnyUndo {
  readonly schema: StandardSchemaV1
  readonly handlers: Readonly<Record<string, unknown>>
  /** The option `sql` of its flow or consumer, which gives `ctx.sql` its type. undefined: the handlers do without. */
  readonly sql?: unknown
  /** The code that `compensate` brings along, so that what has no `undo` does not contain it. */
  readonly engine: UndoEngine
}

/** How the effects of a stage, or of a consumer's records, are undone: made by `compensate`. */
export interface Undo<Payload, Ctx = AnyUndoContext> extends AnyUndo {
  readonly handlers: UndoHandlers<Payload, Ctx>
}

/** Handlers for any database take it. */
type AnyUndoContext = RecordContext & { readonly sql: never }

export interface UndoEngine {
  /** What the record of a run keeps, so that the sweeper can undo it without knowing the flow. */
  planOf(run: PlannedUndo): string
  enderOf(messenger: Messenger): RunEnder
  /**
   * The context of a stage whose effects can be undone. Its payload is kept before the first effect. `keepsOnly`: it has no payload,
   * so all its effects stay, and have to be named as such.
   */
  openStage(
    stage: StageToUndo,
    opened: OpenContext,
    hold: StageHold,
    more?: { readonly keepsOnly?: boolean },
  ): Promise<OpenContext>
  /** Whether the handlers undo the effect of this name. */
  isUndone(undo: AnyUndo, name: string): boolean
  /** Takes the messages that ask for an undo, and leaves all others to the strategy of the stage. */
  strategyOf(stage: StageToUndo, ordinary: ClaimStrategy): ClaimStrategy
  /**
   * A consumer of single records that takes the messages that ask for an undo, and whose attempts note what they begin, so that its
   * dead records can be undone.
   */
  recordsOf(
    records: RecordsToUndo,
    handle: Handle,
  ): { readonly consumer: Consumer; readonly strategy: ClaimStrategy }
}

/** The single records of a consumer. */
export interface RecordsToUndo {
  readonly consumer: Consumer
  readonly undo: AnyUndo
  /** Dead records are undone by themselves. */
  readonly undoDead: boolean
}

/** What is known of the undo of a run when it starts. */
interface PlannedUndo {
  /** In the order in which the flow declares them. */
  readonly stages: readonly UndoStage[]
  /** The flow has the option `sql`. */
  readonly inSql: boolean
  /** Dead runs are undone by themselves. */
  readonly undoDead: boolean
  /** The version of the request, epoch milliseconds. */
  readonly sentAt: number
  /** Of the request, on a fair queue. */
  readonly tenant?: string
}

/** A stage or an awaited step whose effects can be undone, and its queue. */
export interface UndoStage {
  readonly stage: string
  readonly queueUrl: string
}

export interface StageToUndo {
  readonly flow: string
  readonly stage: string
  readonly undo: AnyUndo
  readonly store: Store
  /** How long after the claim marks in SQL are surely kept, milliseconds. undefined: its flow has no option `sql`. */
  readonly marksKeptFor: number | undefined
  now(): number
}
