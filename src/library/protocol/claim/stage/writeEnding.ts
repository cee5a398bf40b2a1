// @acts

import { damaged } from '../../store/format.ts'
import { type Item, type WriteOutcome, hasNoAnswer } from '../../store/store.ts'
import { decideAndWrite, done, look } from '../decideAndWrite.ts'
import type { ItemStore } from '../itemStore.ts'
import { type AbandonDecision, decideAbandon } from './abandonRun.ts'
import type { EndOptions, RunEnding } from './endRun.ts'
import { type EndKind, readStageRecord } from './stageRecord.ts'

/** Writes in this order: only `finish` ends the run, so everything that has to be known later is written before it. */
export async function writeEnding(store: ItemStore, ending: RunEnding): Promise<WriteOutcome> {
  const { remember, deadRun, close, finish, report } = ending
  const before = deadRun === undefined ? remember : [...remember, deadRun]
  const closing = close === undefined ? [] : [store.update(close)]
  const written = await Promise.all([...before.map((each) => store.upsert(each)), ...closing])
  const failed = written.find(hasNoAnswer)
  // @protects a run ends only when all that has to be known later is written
  if (failed !== undefined) return failed
  return report === undefined ? store.update(finish) : store.updateBeside(finish, report)
}

export function writeAbandon(
  store: ItemStore,
  decision: Exclude<AbandonDecision, { kind: 'keep' }>,
): Promise<WriteOutcome> {
  return decision.kind === 'abandon'
    ? store.update(decision.update)
    : writeEnding(store, decision.ending)
}

type AbandonResult =
  | { readonly kind: 'ended'; readonly as: EndKind; readonly uniqueRequestId: string | undefined }
  /** No run has the key. */
  | { readonly kind: 'idle' }
  /** The run has time left, or an attempt may be running. */
  | { readonly kind: 'kept' }

/**
 * Ends a run whose time limit is exhausted, for the sweeper: the first write fences its attempts, the second ends it. A claim in
 * between raises the fence and so refuses the second write.
 * @throws when the store gives no answer, or this version cannot read the record
 */
export function abandonOverdueRun(
  store: ItemStore,
  first: Item,
  options: EndOptions,
): Promise<AbandonResult> {
  return decideAndWrite<Item | undefined, AbandonResult>(
    first,
    (item) => {
      if (item === undefined) return done({ kind: 'kept' })
      const record = readStageRecord(item)
      if (record === undefined) throw damaged(item).error
      const decision = decideAbandon(record, options)
      if (decision.kind === 'keep') {
        return done({ kind: record.run === undefined ? 'idle' : 'kept' })
      }
      const write = async () => {
        const outcome = await writeAbandon(store, decision)
        if (hasNoAnswer(outcome)) throw outcome.error
        if (decision.kind === 'end' && outcome.kind === 'applied') {
          const uniqueRequestId = record.run?.uniqueRequestId
          return done<AbandonResult>({ kind: 'ended', as: decision.ending.as, uniqueRequestId })
        }
        const read = await store.read(record.key)
        if (hasNoAnswer(read)) throw read.error
        return look(read.item)
      }
      return { kind: 'write', write }
    },
    () => ({ kind: 'kept' }),
  )
}
