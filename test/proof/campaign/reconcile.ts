import type { Policy, Request } from './plan.ts'

export interface Books {
  /** Effects counted, by request. */
  readonly effects: ReadonlyMap<string, Readonly<Record<string, number>>>
  /** The last writer of the object. */
  readonly objects: ReadonlyMap<string, { readonly by: string; readonly step: string }>
  /** Stage records that a request still holds. */
  readonly held: readonly unknown[]
  /** Requests that died. */
  readonly deadRuns: readonly unknown[]
  readonly dead: number
  readonly charges: number
}

/** All but the counts of requests and charges should be 0. */
export interface Reconciliation {
  readonly requests: number
  /** Every effect of the request happened. */
  readonly completed: number
  /** Should have run to its end, and did not. */
  readonly lost: readonly string[]
  /** Has an effect more than once. */
  readonly doubled: readonly string[]
  /** Was superseded on its way, and its failure handler was not told of it. */
  readonly untold: readonly string[]
  /** The object shows an older request than the newest one. */
  readonly stale: readonly string[]
  readonly orphans: number
  readonly dead: number
  /** At least `completed`, at most `mayBeCharged`. */
  readonly charges: number
  /** Requests that may have called the bank. One that is superseded after the call keeps its charge. */
  readonly mayBeCharged: number
}

export function reconcile(
  requests: readonly Request[],
  policy: Policy,
  books: Books,
): Reconciliation {
  const rivals = Map.groupBy(requests, ({ key }) => key)
  const isDone = ({ uid }: Request): boolean =>
    EFFECTS.every((name) => (books.effects.get(uid)?.[name] ?? 0) >= 1)
  const told = ({ uid }: Request): number => books.effects.get(uid)?.['told'] ?? 0
  const isBegun = ({ uid }: Request): boolean =>
    EFFECTS.some((name) => (books.effects.get(uid)?.[name] ?? 0) >= 1)
  const isQuoted = ({ uid }: Request): boolean => (books.effects.get(uid)?.['quoted'] ?? 0) >= 1
  const lost = [...rivals.values()].flatMap((each) => lostOf(each, policy, isDone))
  const doubled = requests.filter(({ uid }) =>
    [...EFFECTS, 'told'].some((name) => (books.effects.get(uid)?.[name] ?? 0) > 1),
  )
  const stale = [...rivals].filter(([key, each]) => {
    const winner = books.objects.get(key)
    const expected = expectedLast(each, policy, isDone)
    const right = expected.some(({ uid }) => uid === winner?.by) && winner?.step === 'charged'
    return !right
  })
  return {
    requests: requests.length,
    completed: requests.filter(isDone).length,
    lost: lost.map(({ uid }) => uid),
    doubled: doubled.map(({ uid }) => uid),
    untold: requests
      .filter((each) => policy.onConflict === 'supersede' && isBegun(each) && !isDone(each))
      .filter((each) => told(each) === 0)
      .map(({ uid }) => uid),
    stale: stale.map(([key]) => key),
    orphans: books.held.length + books.deadRuns.length,
    dead: books.dead,
    charges: books.charges,
    mayBeCharged: requests.filter(
      (each) => isDone(each) || (policy.onConflict === 'supersede' && isQuoted(each)),
    ).length,
  }
}

export const EFFECTS = ['reserved', 'quoted', 'charged']

/** `every`: each has to run. `newest`: the newest. `drop`: those that found the key free, one at least. */
function lostOf(
  rivals: readonly Request[],
  { process, onConflict }: Policy,
  isDone: (request: Request) => boolean,
): readonly Request[] {
  if (process === 'every') return rivals.filter((each) => !isDone(each))
  const owed = onConflict === 'drop' ? rivals : [newestOf(rivals)]
  return owed.some(isDone) ? [] : owed
}

/** The requests that may have written last. */
function expectedLast(
  rivals: readonly Request[],
  { process, onConflict }: Policy,
  isDone: (request: Request) => boolean,
): readonly Request[] {
  if (process === 'every') return rivals
  return [newestOf(onConflict === 'drop' ? rivals.filter(isDone) : rivals)]
}

function newestOf(rivals: readonly Request[]): Request {
  const [first = { uid: '', key: '', sentAt: 0, copies: 0, by: 'sqs' as const }] = rivals.toSorted(
    (one, other) => other.sentAt - one.sentAt,
  )
  return first
}
