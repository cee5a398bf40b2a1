import type { EndReport } from '../../protocol/claim/stage/endReport.ts'
import { answerPrefix } from '../../protocol/claim/stage/heldStage.ts'
import { outcomeOrThrow, type StoreKey } from '../../protocol/store/store.ts'
import { recordKey } from '../../protocol/claim/stage/stageRecord.ts'
import { nameInKey } from '../../base/ids.ts'
import type { MadeEffect } from '../../run/context/failureEnd.ts'
import type { Consumer } from '../../run/deliver/consumer.ts'
import type { Uncommon } from '../../run/deliver/lazy.ts'

/**
 * How a run has ended that did not complete, as `flow.failureHandler` learns it.
 * @example
 * async function isCharged(end: FlowEnd): Promise<boolean> {
 *   const { outcome } = await end.callOf('charge', 'card')
 *   // Also when it is not known.
 *   return outcome !== 'notMade'
 * }
 */
export interface FlowEnd {
  /**
   * `dead`: a stage was dead-lettered, or the run was given up after `giveUpAfter`. `superseded`: a newer request has its key.
   * `reset`: by `ctx.reset`, `flow.reset` or an operator. `dropped`: an operator has decided that a dead run will not be redriven
   * (`lineclear decide FLOW/KEY drop`).
   */
  readonly as: EndReport['as']
  /** False for `dead`: it can be redriven. Otherwise it never runs again, and what it has made may be taken back. */
  readonly final: boolean
  readonly key: string
  readonly uniqueRequestId: string
  /** The request that has superseded it. */
  readonly by?: string
  /**
   * The stages that died, with their reasons: `exhausted`, `terminal`, `rejected`, `too old`, `unknown`, `abandoned` (given up). The
   * errors are in the dead letters.
   */
  readonly died: EndReport['died']
  /**
   * What it has made in the table by `ctx.write`, and its calls that are not repeated (`ifUnknown: 'stop'` or a function). Other
   * calls leave no trace by which they could be listed: ask `callOf`. undefined: the names were too many for a message.
   */
  readonly made: readonly FlowEffect[] | undefined
  /**
   * Whether a call was made. `unknown`: there is no result, and it may have been made all the same. `result`: what it returned, if that
   * was kept.
   */
  callOf(stage: string, name: string): Promise<CallOutcome>
  /** The idempotency key of a call, to look for it or to void it. As `ctx.idempotencyKey` in the stage. */
  keyOf(stage: string, name: string, options?: { readonly maxLength?: number }): string
}

/** An effect of a run that has ended badly, and its stage. */
export type FlowEffect = MadeEffect & { readonly stage: string }

/** What is known of an outside call. */
export type CallOutcome =
  | { readonly outcome: 'made'; readonly result?: unknown }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'notMade' }

/**
 * @param consumer of the failure handler
 * @param context what is loaded with the context: imported here it would be loaded before the first message
 */
export async function openEnd(
  report: EndReport,
  consumer: Consumer,
  { readResult, shortKey }: Pick<Uncommon, 'readResult' | 'shortKey'>,
): Promise<FlowEnd> {
  const { flow, uniqueRequestId, key, as, by, died, marks } = report
  const calls = marks === undefined ? undefined : stateOfCalls(marks)
  const callOf = async (stage: string, name: string): Promise<CallOutcome> => {
    const stored = await readAnswer(report, stage, name, consumer)
    if (stored !== undefined) {
      const kept = await readResult(
        { store: consumer.offload, clock: consumer.clock },
        name,
        stored,
      )
      return { outcome: 'made', ...(kept.kind === 'result' && { result: kept.result }) }
    }
    return { outcome: calls?.get(`${stage}:${name}`) === 'notMade' ? 'notMade' : 'unknown' }
  }
  return {
    as,
    final: as !== 'dead',
    key,
    uniqueRequestId,
    ...(by !== undefined && { by }),
    died,

    made: marks && calls && (await effectsOf(marks, calls, callOf)),
    callOf,
    keyOf: (stage, name, options) =>
      shortKey('end.keyOf', { uniqueRequestId, consumer: `${flow}.${stage}` }, name, options),
  }
}

async function effectsOf(
  marks: readonly string[],
  calls: ReadonlyMap<string, 'begun' | 'notMade'>,
  callOf: FlowEnd['callOf'],
): Promise<readonly FlowEffect[]> {
  const writes = marks.flatMap((mark): FlowEffect[] => {
    const [, stage, name] = WRITE.exec(mark) ?? []
    if (stage === undefined || name === undefined) return []
    return [{ stage, name, kind: 'write', outcome: 'made' }]
  })
  const begun = [...calls].filter(([, state]) => state === 'begun')
  const made = begun.map(async ([place]): Promise<FlowEffect> => {
    const [, stage = '', name = ''] = WRITE.exec(place) ?? []
    const found = await callOf(stage, name)
    return found.outcome === 'made'
      ? { stage, name, kind: 'call', ...found }
      : { stage, name, kind: 'call', outcome: 'unknown' }
  })
  return [...writes, ...(await Promise.all(made))]
}

/** The marks of effects and calls, see `effectMark` and `markStarted`. */
const WRITE = /^([^:?!]+):(.*)$/s
const CALL = /^([^:?!]+)([?!])(\d+):(.*)$/s

/** By stage and name: whether the last call that was begun certainly did not happen. */
function stateOfCalls(marks: readonly string[]): Map<string, 'begun' | 'notMade'> {
  const known = new Set(marks)
  const calls = new Map<string, 'begun' | 'notMade'>()
  for (const mark of marks) {
    const [, stage, sign, nth, name] = CALL.exec(mark) ?? []
    if (sign !== '?') continue
    const place = `${stage}:${name}`
    const isOpen = !known.has(`${stage}!${nth}:${name}`)
    if (isOpen) calls.set(place, 'begun')
    else if (!calls.has(place)) calls.set(place, 'notMade')
  }
  return calls
}

/** @throws when the table does not answer: then nothing is known, and the end is reported later */
async function readAnswer(
  { flow, key, uniqueRequestId }: EndReport,
  stage: string,
  name: string,
  { store }: Consumer,
): Promise<string | undefined> {
  const { pk } = recordKey(flow, key)
  const at: StoreKey = { pk, sk: answerPrefix(uniqueRequestId, stage) + nameInKey(name) }
  const { item } = outcomeOrThrow(await store.read([at], { consistent: true }))
  const answer = item?.['answer']
  return typeof answer === 'string' ? answer : undefined
}
