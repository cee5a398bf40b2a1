import type { Table } from './table.ts'

export interface Failed {
  readonly kind: 'failed'
  readonly error: Error
}

/** Nothing is known to be wrong with the entry: it is sent again, and has failed with `error` if that does not help. */
export interface Again {
  readonly kind: 'again'
  readonly error: Error
}

/** About a second in all: longer would eat the time of the records that wait behind this one. */
const TRIES = 6
const SHORTEST = 20
const LONGEST = 400

/** Sends until there is an answer, each time after a longer pause. */
export async function sendUntilSettled<A extends { readonly kind: string }>(
  table: Table,
  send: () => Promise<A | Again>,
): Promise<A | Failed> {
  let answer = await send()
  for (let tries = 1; tries < TRIES && isAgain(answer); tries++) {
    await table.clock.sleep(pause(tries, table.random()))
    answer = await send()
  }
  return settled(answer)
}

/** The same for many entries in one call: only those without an answer are sent again. */
export async function sendAllUntilSettled<E, A extends { readonly kind: string }>(
  table: Table,
  entries: readonly E[],
  send: (entries: readonly E[]) => Promise<readonly (A | Again)[]>,
): Promise<readonly (A | Failed)[]> {
  let answers = await send(entries)
  for (let tries = 1; tries < TRIES && answers.some(isAgain); tries++) {
    await table.clock.sleep(pause(tries, table.random()))
    answers = await answerOpen(entries, answers, 'again', send)
  }
  return answers.map(settled)
}

/** Sends the entries whose answer is of this kind, and puts the new answers in the place of those. */
export async function answerOpen<E, A extends { readonly kind: string }, K extends A['kind'], B>(
  entries: readonly E[],
  answers: readonly A[],
  kind: K,
  send: (entries: readonly E[], open: readonly Extract<A, { kind: K }>[]) => Promise<readonly B[]>,
): Promise<readonly (Exclude<A, { kind: K }> | B)[]> {
  const isOpen = (answer: A): answer is Extract<A, { kind: K }> => answer.kind === kind
  const isClosed = (answer: A): answer is Exclude<A, { kind: K }> => answer.kind !== kind
  if (answers.every(isClosed)) return answers
  const open = entries.filter((_, at) => answers[at]?.kind === kind)
  const later = await send(open, answers.filter(isOpen))
  let used = 0
  const next = (): readonly B[] => later.slice(used, ++used)
  return answers.flatMap<B | Exclude<A, { kind: K }>>((answer) =>
    isClosed(answer) ? [answer] : next(),
  )
}

/** Runs `send` on chunks of `size`, at most `atOnce` of them side by side, and keeps the order of the answers. */
export async function sendInChunks<E, A>(
  entries: readonly E[],
  size: number,
  atOnce: number,
  send: (chunk: readonly E[]) => Promise<readonly A[]>,
): Promise<readonly A[]> {
  const count = Math.ceil(entries.length / size)
  const answers: (readonly A[])[] = []
  const next = Array.from({ length: count }, (_, nth) => nth).values()
  const worker = async (): Promise<void> => {
    for (const nth of next) answers[nth] = await send(entries.slice(nth * size, (nth + 1) * size))
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker))
  return answers.flat()
}

function settled<A>(answer: A | Again): A | Failed {
  return isAgain(answer) ? { kind: 'failed', error: answer.error } : answer
}

function isAgain(answer: unknown): answer is Again {
  return (
    typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'again'
  )
}

/** Milliseconds: half of it by chance, so that those who collided do not collide again. */
function pause(tries: number, random: number): number {
  return Math.min(LONGEST, SHORTEST * 2 ** tries) * (0.5 + random / 2)
}
