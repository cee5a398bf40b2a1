import type { KnownRequest, RequestState } from './knownRequest.ts'

/** How many effects of one request the ledger should count, both ends included. */
export interface Range {
  readonly least: number
  readonly most: number
}

export interface EffectNames {
  /** Names of `ctx.write`, whose marks are written with the effect. */
  readonly effects: readonly string[]
  /** Names of `ctx.call` and other effects that may be in the ledger before the table knows it. */
  readonly calls: readonly string[]
}

export interface Counted {
  /** undefined: the ledger does not name its effects, or has no row. */
  readonly effect: string | undefined
  readonly count: number
  /** Time of the newest row, epoch milliseconds. undefined: a row has no time. */
  readonly newest: number | undefined
}

/** The time for which the ledger is complete, epoch milliseconds. */
export interface Window {
  readonly since: number | undefined
  readonly until: number | undefined
}

export interface Rules {
  /** What the request should have if it has completed. undefined: that cannot be said without its id. */
  readonly expected: Range | undefined
  readonly names: EffectNames
  readonly window: Window
  /** The longest time from the first attempt of a retried request to its last claim, milliseconds. */
  readonly lifetime: number
  /** A row without a request that is younger cannot belong to a forgotten one, epoch milliseconds. undefined: any may. */
  readonly rememberedSince: number | undefined
}

/** What is wrong with a request: see `LedgerAnomaly`. */
export type AnomalyKind = 'double' | 'lost' | 'unmarked' | 'foreign'

/**
 * Why a request, or a row, could not be judged. `late`: it ended after the ledger was read. `early`: it may have made effects
 * before the rows begin. `outside`: rows outside the window. `forgotten`: rows whose request may have been forgotten, or is of
 * another consumer. `idUnknown`: only a digest of the id is stored. `earlierLife`: it may have run before, and was forgotten.
 */
export type UncheckedReason =
  | 'late'
  | 'early'
  | 'outside'
  | 'forgotten'
  | 'idUnknown'
  | 'earlierLife'

export type Judgement =
  | { readonly kind: 'right' }
  /** No effect is missing or too many so far; it has not ended. */
  | { readonly kind: 'open' }
  | { readonly kind: 'unchecked'; readonly because: UncheckedReason }
  | { readonly kind: AnomalyKind; readonly expected: Range }

/**
 * Judges the rows of one request by what the table shows of it.
 *
 * The table is read before the ledger, and what looks wrong is read again after it (`confirm`).
 */
export function judge(
  request: KnownRequest | undefined,
  counted: Counted,
  rules: Rules,
): Judgement {
  const range = rangeFor(request, counted.effect, rules)
  if (counted.count > range.most) return judgeSurplus(request, counted, rules, range)
  if (counted.count < range.least) return judgeLack(request, rules, range)
  return judgeRight(request, counted, rules)
}

function judgeSurplus(
  request: KnownRequest | undefined,
  { count, newest }: Counted,
  rules: Rules,
  range: Range,
): Judgement {
  const { window, rememberedSince, expected } = rules
  const isOutside =
    newest !== undefined &&
    (newest < (window.since ?? -Infinity) || newest > (window.until ?? Infinity))
  if (isOutside) return unchecked('outside')
  if (expected === undefined) return unchecked('idUnknown')
  if (count > expected.most) return { kind: 'double', expected }
  if (request !== undefined) {
    return request.mayHaveRunBefore
      ? unchecked('earlierLife')
      : { kind: 'unmarked', expected: range }
  }
  const isRemembered =
    newest !== undefined && rememberedSince !== undefined && newest > rememberedSince
  return isRemembered ? { kind: 'foreign', expected: range } : unchecked('forgotten')
}

function judgeLack(request: KnownRequest | undefined, rules: Rules, range: Range): Judgement {
  // Without a request nothing is expected, so that more was reversed than was ever booked.
  const because = request && reasonNotToMiss(request, rules)
  return because === undefined ? { kind: 'lost', expected: range } : unchecked(because)
}

/** Why the missing effect may be in rows that the ledger did not give. */
function reasonNotToMiss(request: KnownRequest, rules: Rules): UncheckedReason | undefined {
  const { since, until } = rules.window
  if (until !== undefined && (request.settledBy ?? Infinity) > until) return 'late'
  if (since === undefined) return undefined
  const { began = -Infinity, retried } = request
  return began - (retried ? rules.lifetime : 0) < since ? 'early' : undefined
}

function judgeRight(
  request: KnownRequest | undefined,
  { count }: Counted,
  rules: Rules,
): Judgement {
  if (request === undefined) return { kind: 'right' }
  if (request.state === 'open') return { kind: 'open' }
  if (request.state === 'completed' && rules.expected === undefined) return unchecked('idUnknown')
  // That nothing is missing was looked for, and the rows may still be incomplete: then no balance is claimed.
  const because = count > 0 ? undefined : reasonNotToMiss(request, rules)
  return because === undefined ? { kind: 'right' } : unchecked(because)
}

function unchecked(because: UncheckedReason): Judgement {
  return { kind: 'unchecked', because }
}

const NONE: Range = { least: 0, most: 0 }

function rangeFor(
  request: KnownRequest | undefined,
  effect: string | undefined,
  { expected, names }: Rules,
): Range {
  if (request === undefined) return NONE
  const most = expected?.most ?? Infinity
  if (request.state === 'completed') return expected ?? { least: 0, most }
  if (MAY_HAVE_ANY.has(request.state)) return { least: 0, most }
  const ofThis = (name: string): boolean => effect === undefined || name === effect
  const effects = names.effects.filter(ofThis)
  const calls = names.calls.filter(ofThis)
  if (effects.length + calls.length === 0) return { least: 0, most }
  const marked = effects.filter((name) => request.marks.includes(name)).length
  if (effects.length + calls.length === 1) return rangeOfOne(marked, calls.length, expected, most)
  return { least: Math.min(marked, most), most: Math.min(marked + calls.length, most) }
}

/** A single effect may have several rows; of several effects, each has one. */
function rangeOfOne(
  marked: number,
  calls: number,
  expected: Range | undefined,
  most: number,
): Range {
  if (marked === 1) return expected ?? { least: 0, most }
  return calls === 1 ? { least: 0, most } : NONE
}

/** An operator, or a newer request, has ended it: it may have made its effects or not, and no mark of them is left. */
const MAY_HAVE_ANY: ReadonlySet<RequestState> = new Set(['resolved', 'reset'])

/**
 * The judgement by both readings of the table, one before the ledger was read and one after it. Too few rows are certain by the
 * first reading: what it shows as completed or marked was in the ledger when that was read. Too many are certain by the second
 * one: marks only grow until the completion, so an effect that the ledger has is marked by then. The other way round, a request
 * that made an effect or completed between the readings would be reported.
 * @param after undefined: the table no longer shows the request
 */
export function confirm(
  before: KnownRequest | undefined,
  after: KnownRequest | undefined,
  counted: Counted,
  rules: Rules,
): Judgement {
  const first = judge(before, counted, rules)
  if (!isAnomaly(first)) return first
  const second = judge(after ?? before, counted, rules)
  if (!isAnomaly(second)) return second
  // It had too many rows and now has too few, or the reverse: it went on in between.
  if ((first.kind === 'lost') !== (second.kind === 'lost')) return { kind: 'open' }
  const isGone = before !== undefined && after === undefined
  return isGone && second.kind === 'unmarked' ? unchecked('forgotten') : second
}

export function isAnomaly(
  judgement: Judgement,
): judgement is Extract<Judgement, { readonly kind: AnomalyKind }> {
  return ANOMALY_KINDS.some((kind) => kind === judgement.kind)
}

/** The worst first. */
export const ANOMALY_KINDS: readonly AnomalyKind[] = ['double', 'lost', 'unmarked', 'foreign']
