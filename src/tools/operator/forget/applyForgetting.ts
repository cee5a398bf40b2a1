import { isoTime } from '../../../library/base/time.ts'
import { loadItems } from '../../../library/entries/sweeper/due/listDue.ts'
import { outcomeOrThrow, type Update } from '../../../library/protocol/store/store.ts'
import type { Bound, BoundEnd } from '../dlq/bound.ts'
import { type Erasure, FORGET, type Judged, shows } from './judged.ts'
import { judgePartition, judgeRow } from './judgeRow.ts'
import { placeText } from './objects.ts'
import {
  asTaken,
  describe,
  findAll,
  type ForgetOptions,
  type ForgetReport,
  type NotErased,
  type Taken,
} from './planForgetting.ts'

interface Applying extends ForgetOptions, Pick<Bound, 'onPage'> {
  readonly only: readonly Taken[]
  readonly by: string
  readonly why: string
}

/**
 * Erases what the plan names and is as it was shown, then looks again: what is still there is not erased. Objects come first,
 * because the token is what leads to them.
 * @throws StoreUnavailableError: the same command goes on
 */
export async function applyForgetting(options: Applying): Promise<ForgetReport> {
  const { only, signal, onPage } = options
  const erased: string[] = []
  const end = (ended: BoundEnd, notErased: readonly NotErased[]): ForgetReport => ({
    mode: 'apply',
    erased,
    notErased,
    ended,
  })
  const { failed, removed } = await eraseObjects(options)
  erased.push(...removed)
  const rows = only.flatMap((each) => ('pk' in each ? each : []))
  for (const [pk, planned] of Map.groupBy(rows, (row) => row.pk)) {
    if (signal.aborted) return end('aborted', failed)
    // @protects a token leads to its result until that is erased
    // @without false @tests test/tools/cli/forget.test.ts
    if (failed.length > 0 && isOfKey(pk)) continue
    erased.push(...(await erasePlanned(pk, planned, options)))
    const orders = await onPage?.(erased.length)
    if (orders !== undefined) return end(orders, failed)
  }
  const after = await findAll(options)
  const still = [...after.judged.flatMap(erasable), ...after.objects.map(placeText)]
  const known = new Set(failed.map(({ what }) => what))
  const changed = still
    .filter((what) => !known.has(what))
    .map((what) => ({ what, because: CHANGED }))
  return end('complete', [...failed, ...changed, ...after.notErased])
}

const CHANGED = 'it has come or changed since the plan was made'

function erasable(judged: Judged): readonly string[] {
  return judged.kind === 'erase' ? [describe(judged)] : []
}

function isOfKey(pk: string): boolean {
  return pk.startsWith('lock#') || pk.startsWith('key#')
}

/** Only what is still to be erased: a key that runs again needs its result. */
async function eraseObjects(options: Applying): Promise<{
  readonly removed: readonly string[]
  readonly failed: readonly NotErased[]
}> {
  const { only, objects } = options
  const planned = new Set(only.flatMap((each) => ('object' in each ? placeOf(each) : [])))
  const [removed, failed]: [string[], NotErased[]] = [[], []]
  if (objects === undefined || planned.size === 0) return { removed, failed }
  for (const place of (await findAll(options)).objects) {
    const what = placeText(place)
    if (!planned.has(what)) continue
    const because = await objects.client.remove(place)
    if (because === undefined) removed.push(what)
    else failed.push({ what, because })
  }
  return { removed, failed }
}

function placeOf({ bucket, object }: Extract<Taken, { readonly object: string }>): string {
  return placeText({ bucket, name: object })
}

type PlannedRow = Extract<Taken, { readonly pk: string }>

/** @returns what was erased. What is not as it was shown stays. */
async function erasePlanned(
  pk: string,
  planned: readonly PlannedRow[],
  options: Applying,
): Promise<readonly string[]> {
  const shown = new Set(planned.map((row) => JSON.stringify(row)))
  const erased: string[] = []
  for (const erasure of await judgeAgain(pk, planned, options)) {
    // @protects what has changed since the plan was shown stays
    // @without true @tests test/tools/operator/forget
    const isShown = shown.has(JSON.stringify(asTaken(erasure)))
    const done = isShown && (await erase(erasure, options))
    if (done) erased.push(describe(erasure))
    // @protects answers stay while a dead letter could still continue their run
    // @without false @tests test/tools/operator/forget
    if (!done && stopsOthers(erasure)) return erased
  }
  return erased
}

/** Behind a run that could not be closed, and a record that could not be moved on, a run may have gone on. */
function stopsOthers({ isBarrier, key }: Erasure): boolean {
  return isBarrier === true || key.sk.startsWith('dead#')
}

async function judgeAgain(
  pk: string,
  planned: readonly PlannedRow[],
  { store, reader, now, objects, subject }: Applying,
): Promise<readonly Erasure[]> {
  const judged = subject.pks.includes(pk)
    ? judgePartition(await reader.partition(pk), { now, hasObjects: objects !== undefined })
    : (
        await loadItems(
          store,
          planned.map(({ sk }) => ({ pk, sk })),
        )
      ).map((item) => item && judgeRow(item))
  return judged.flatMap((each) => (each?.kind === 'erase' ? each : []))
}

async function erase(
  { key, update }: Erasure,
  { store, by, why, now }: Applying,
): Promise<boolean> {
  const stamp: NonNullable<Update['set']> = {
    operatorDid: FORGET,
    operatorBy: by,
    operatorAt: isoTime(now),
    operatorWhy: why,
  }
  const isOfRequest = /^(?:lock|key|flow|once|later)#/.test(key.pk)
  const set = { ...update.set, ...(isOfRequest && stamp) }
  const remove = (update.remove ?? []).filter((name) => set[name] === undefined)
  const written = { ...update, set, remove }
  const outcome = outcomeOrThrow(await store.update([written]))
  return outcome.kind === 'applied' || shows(outcome.item, written)
}
