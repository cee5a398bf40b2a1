import { StoreUnavailableError } from '../../../../base/errors.ts'
import { replaceAnswers } from '../../../../protocol/store/retries.ts'
import type { Failed } from '../../../../protocol/store/store.ts'

/** Entries that are tried at the same time. */
const ROUND = 16

const UNCLEAR = { kind: 'unclear' } as const

/**
 * Tries each entry of a batch by itself, once, when it is unknown what became of the batch: one entry that breaks the call fails no
 * other. In an outage the first round says so, and the other entries keep the answer of their batch, so that time is left.
 */
export async function takeApart<E, A extends { readonly kind: string }>(
  entries: readonly E[],
  answers: readonly (A | Failed)[],
  each: (entries: readonly E[]) => Promise<readonly (A | Failed)[]>,
): Promise<readonly (A | Failed)[]> {
  const known = answers.map((one) => (isUnclear(one) ? UNCLEAR : one))
  return replaceAnswers(entries, known, 'unclear', async (open) => {
    const tried: (A | Failed)[] = []
    for (let at = 0; at < open.length; at += ROUND) {
      const round = await each(open.slice(at, at + ROUND))
      tried.push(...round)
      // @protects an outage is not asked about each entry
      // @without false
      if (round.every(isUnclear)) break
    }
    return [...tried, ...answers.filter(isUnclear).slice(tried.length)]
  })
}

function isUnclear(answer: { readonly kind: string }): answer is Failed {
  if (answer.kind !== 'failed' || !('error' in answer)) return false
  return answer.error instanceof StoreUnavailableError && answer.error.reason === 'noAnswer'
}
