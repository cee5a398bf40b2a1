/** One request, which sets its key to this version. */
export interface Request {
  readonly uid: string
  readonly key: string
  /** Epoch milliseconds of the first sending. */
  readonly sentAt: number
  readonly copies: number
  readonly by: 'sqs' | 'sns'
}

export interface Policy {
  readonly name: string
  readonly process: 'newest' | 'every'
  readonly onConflict: 'defer' | 'drop' | 'supersede' | 'coalesce'
}

export const POLICIES: readonly Policy[] = [
  { name: 'newest-defer', process: 'newest', onConflict: 'defer' },
  { name: 'newest-supersede', process: 'newest', onConflict: 'supersede' },
  { name: 'newest-coalesce', process: 'newest', onConflict: 'coalesce' },
  { name: 'newest-drop', process: 'newest', onConflict: 'drop' },
  { name: 'every-defer', process: 'every', onConflict: 'defer' },
]

/** The same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const SPACING_MS = 7

/** Mostly one request a key, sometimes up to three; a tenth is sent twice; the order of sending is not that of the versions. */
export function planRequests(
  count: number,
  seed: number,
  now: number,
  isCalm: boolean = false,
): readonly Request[] {
  const random = randomOf(seed)
  const requests: Request[] = []
  for (let key = 0; requests.length < count; key++) {
    const rivals = random() < 0.7 ? 1 : random() < 0.7 ? 2 : 3
    for (let nth = 0; nth < rivals && requests.length < count; nth++) {
      requests.push({
        uid: `r${seed}-${key}-${nth}`,
        key: `k${key}`,
        sentAt: now - 10_000 + nth * SPACING_MS,
        copies: !isCalm && random() < 0.1 ? 2 : 1,
        by: random() < 0.3 ? 'sns' : 'sqs',
      })
    }
  }
  return shuffled(requests, random)
}

/** Close to their old places, so that requests of one key run at once. */
function shuffled(requests: readonly Request[], random: () => number): readonly Request[] {
  const placed = requests.map((request, index) => ({ request, at: index + random() * 6 }))
  return placed.toSorted((one, other) => one.at - other.at).map(({ request }) => request)
}
