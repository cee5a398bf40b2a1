import { knownItem } from '../aws/knownItem.ts'
import { displayId } from '../text/itemId.ts'
import { mapInOrder } from '../../../library/entries/sweeper/due/concurrency.ts'
import { flowRequests, mergeRequests } from './flowRequests.ts'
import {
  confirm,
  type Counted,
  isAnomaly,
  judge,
  type Judgement,
  type Rules,
  type Window,
} from './judge.ts'
import { type KnownRequest, tokenPrefix, tokenRequests, type CountedRow } from './knownRequest.ts'
import type { ReconcilePlan } from './options.ts'
import type { LedgerAnomaly, Tally } from './report.ts'

interface Joined {
  readonly requests: ReadonlyMap<string, KnownRequest>
  readonly rows: ReadonlyMap<string, Booked>
}

/** The rows of one request, added up: one request may have any number of them. */
export interface Booked {
  readonly id: string
  readonly byEffect: Map<string | undefined, Counted>
}

interface Comparison {
  readonly plan: ReconcilePlan
  readonly window: Window
  readonly rememberedSince: number | undefined
  /** The rows name their effects, so each effect is judged apart. */
  readonly isNamed: boolean
}

interface Case {
  readonly id: string | undefined
  readonly joinKey: string
  readonly request: KnownRequest | undefined
  readonly counted: Counted
  readonly rules: Rules
}

export async function compare(joined: Joined, comparison: Comparison, tally: Tally): Promise<void> {
  const suspects: Case[] = []
  for (const each of casesOf(joined, comparison)) {
    const judgement = judge(each.request, each.counted, each.rules)
    if (!isAnomaly(judgement)) count(judgement, each, tally)
    else if (tally.isFull(judgement.kind)) tally.more(judgement.kind)
    else suspects.push(each)
  }
  const { plan } = comparison
  for await (const [each, after] of mapInOrder(suspects, (one) => readAgain(one, plan))) {
    const judgement = confirm(each.request, after, each.counted, each.rules)
    count(judgement, { ...each, request: after ?? each.request }, tally)
  }
}

function count(judgement: Judgement, each: Case, tally: Tally): void {
  if (isAnomaly(judgement)) {
    if (tally.isFull(judgement.kind)) tally.more(judgement.kind)
    else tally.anomaly(anomalyOf(each, judgement))
  } else if (judgement.kind === 'unchecked') tally.unchecked(judgement.because)
  else if (judgement.kind === 'open') tally.open()
  else tally.right()
}

function anomalyOf(
  { id, request, counted }: Case,
  { kind, expected }: Extract<Judgement, { readonly kind: LedgerAnomaly['kind'] }>,
): LedgerAnomaly {
  const { effect, count: number, newest } = counted
  return {
    kind,
    id,
    request: request && displayId(request.pk),
    effect,
    count: number,
    expected,
    state: request?.state,
    newest,
  }
}

function* casesOf({ requests, rows }: Joined, comparison: Comparison): Generator<Case> {
  for (const joinKey of new Set([...requests.keys(), ...rows.keys()])) {
    const own = rows.get(joinKey)
    const request = requests.get(joinKey)
    const id = own?.id ?? request?.id
    for (const counted of countedOf(own, request !== undefined, comparison)) {
      yield { id, joinKey, request, counted, rules: rulesFor(id, counted.effect, comparison) }
    }
  }
}

export function addRow(booked: Map<string, Booked>, joinKey: string, row: CountedRow): void {
  const own: Booked = booked.get(joinKey) ?? { id: row.id, byEffect: new Map() }
  own.byEffect.set(row.effect, add(own.byEffect.get(row.effect), row))
  booked.set(joinKey, own)
}

function add(before: Counted | undefined, { effect, count: number, at }: CountedRow): Counted {
  if (before === undefined) return { effect, count: number, newest: at }
  const { count: sum, newest } = before
  const isTimed = newest !== undefined && at !== undefined
  return { effect, count: sum + number, newest: isTimed ? Math.max(newest, at) : undefined }
}

/** Counts of a request by effect. Each named effect of a known request is judged, also if it has no row. */
function countedOf(
  own: Booked | undefined,
  isKnown: boolean,
  { isNamed, plan: { names } }: Comparison,
): readonly Counted[] {
  const none = (effect: string | undefined): Counted => ({ effect, count: 0, newest: undefined })
  const of = (effect: string | undefined): Counted => own?.byEffect.get(effect) ?? none(effect)
  if (!isNamed) return [of(undefined)]
  return isKnown ? [...names.effects, ...names.calls].map(of) : [...(own?.byEffect.values() ?? [])]
}

function rulesFor(
  id: string | undefined,
  effect: string | undefined,
  { plan, window, rememberedSince }: Comparison,
): Rules {
  const { names, lifetime } = plan
  return { expected: plan.expect(id, effect), names, window, lifetime, rememberedSince }
}

async function readAgain(
  { joinKey, request }: Case,
  { of, table, retention }: ReconcilePlan,
): Promise<KnownRequest | undefined> {
  if ('flow' in of) {
    if (request === undefined) return undefined
    const items = (await table.partition(request.pk)).map(knownItem)
    return items
      .flatMap((item) => flowRequests(item, retention))
      .filter((one) => one.joinKey === joinKey)
      .reduce<KnownRequest | undefined>(mergeRequests, undefined)
  }
  const items = (await table.partition(`${tokenPrefix(of.consumer)}${joinKey}`)).map(knownItem)
  return items.flatMap(tokenRequests)[0]
}
