/** What a look at the store leads to. */
export type Step<Seen, Result> =
  | Done<Result>
  /** A write, conditional on all that the decision rests on; or a read that the decision asks for. */
  | { readonly kind: 'write'; write(): Promise<Done<Result> | Look<Seen>> }

export interface Done<Result> {
  readonly kind: 'done'
  readonly result: Result
}

/** What refused the write, or what was read instead: the next decision rests on it. */
export interface Look<Seen> {
  readonly kind: 'look'
  readonly seen: Seen
}

/**
 * A rival that writes between the look and the write costs one round. A batch of ten answers for one step, each of which
 * counts itself, needs ten rounds; more than 16 mean that something else is wrong.
 */
export const MAX_ROUNDS = 16

/**
 * The optimistic loop of every claim, settlement and operator's plan: look, decide, write on condition that nothing has changed
 * since, and decide again on what refused the write. No lock is held in between, so a process may die anywhere.
 * @param contended what is to happen when others were faster in each round
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
    seen = next.seen
  }
}

export function done<Result>(result: Result): Done<Result> {
  return { kind: 'done', result }
}

export function look<Seen>(seen: Seen): Look<Seen> {
  return { kind: 'look', seen }
}

/** @param run the write, or the read; it says what it has led to */
export function attempt<Seen, Result>(
  run: () => Promise<Done<Result> | Look<Seen>>,
): Step<Seen, Result> {
  return { kind: 'write', write: run }
}
