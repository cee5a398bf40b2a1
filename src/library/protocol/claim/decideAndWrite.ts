// @acts

/** What the code does next, after it has read an item of the store. */
export type Step<Seen, Result> =
  | Done<Result>
  /** A write that is conditional on everything the decision depends on; or a read that the decision needs. */
  | { readonly kind: 'write'; write(): Promise<Done<Result> | Look<Seen>> }

export interface Done<Result> {
  readonly kind: 'done'
  readonly result: Result
}

/** The item that refused the write, or the item that was read instead. The next decision depends on it. */
export interface Look<Seen> {
  readonly kind: 'look'
  readonly seen: Seen
}

/**
 * A concurrent write between the read and our write costs one round. A batch of ten answers for one step, each of which counts
 * itself, needs ten rounds; more than 16 mean that something else is wrong.
 */
export const MAX_ROUNDS = 16

/**
 * The optimistic loop of every claim, every settlement and every plan of an operator: read, decide, write on condition that
 * nothing has changed since the read, and if the write is refused decide again on the item that refused it. No lock is held in
 * between, so a process may die at any point.
 * @param contended what to do when another writer was faster in every round
 */
export async function decideAndWrite<Seen, Result>(
  first: Seen,
  decide: (seen: Seen) => Step<Seen, Result>,
  contended: () => Result,
): Promise<Result> {
  let seen = first
  for (let round = 0; ; round++) {
    const step = decide(seen)
    if (step.kind === 'done') return step.result
    if (round === MAX_ROUNDS) return contended()
    const next = await step.write()
    if (next.kind === 'done') return next.result
    // @protects a refused write is decided again on the item that refused it
    // @without return contended()
    seen = next.seen
  }
}

export function done<Result>(result: Result): Done<Result> {
  return { kind: 'done', result }
}

export function look<Seen>(seen: Seen): Look<Seen> {
  return { kind: 'look', seen }
}

/** @param run makes the write or the read, and returns its result */
export function attempt<Seen, Result>(
  run: () => Promise<Done<Result> | Look<Seen>>,
): Step<Seen, Result> {
  return { kind: 'write', write: run }
}
