/** The shipped code with one condition removed. A judge that accepts what it does then judges nothing. */
export interface Planted {
  readonly fault: string
  readonly file: string
  /** The mark that is switched off. */
  readonly protects?: string
  /** Where no mark says what is left out: a text that stands there once, and what replaces it. */
  readonly replace?: readonly [string, string]
  /** A few histories of the local cloud show it, too. Default false. */
  readonly live?: true
}

const CLAIM = 'src/library/protocol/claim'
const DELIVER = 'src/library/run/deliver'

export const PLANTED: readonly Planted[] = [
  {
    fault: 'fence left out',
    file: `${CLAIM}/token/ownedBy.ts`,
    protects: 'every write of an attempt requires that it still has the claim',
  },
  {
    fault: 'fence of a stage that does not grow',
    file: `${CLAIM}/stage/claimWrite.ts`,
    protects: 'each claim of a stage raises the fence',
  },
  {
    fault: 'guard left out',
    file: 'src/library/run/context/guard/compileGuard.ts',
    protects: 'newerThan refuses an older request',
    live: true,
  },
  {
    fault: 'acknowledged early',
    file: `${DELIVER}/buildResponse.ts`,
    protects: 'records that are not settled stay on the queue',
    live: true,
  },
  {
    fault: 'mark left out, so that an effect is repeated',
    file: `${CLAIM}/token/tokenWrites.ts`,
    protects: 'an effect and its mark are one transaction',
    live: true,
  },
  {
    fault: 'lease ignored',
    file: `${CLAIM}/token/decideClaim.ts`,
    protects: 'a live lease is respected',
  },
  {
    fault: 'lease of a stage ignored',
    file: `${CLAIM}/stage/decideEntry.ts`,
    protects: 'a live lease of a stage is respected',
  },
  {
    fault: 'stage that begins before the one that sent its message has ended',
    file: `${CLAIM}/stage/decideEntry.ts`,
    protects: 'a stage begins only when the one that sent its message has settled',
  },
  {
    fault: 'start that replaces another record than the one that was judged',
    file: `${CLAIM}/stage/claimWrite.ts`,
    protects: 'a start replaces the record that was judged',
  },
  {
    fault: 'lost claim that acknowledges its message',
    file: `${DELIVER}/settleAttempt.ts`,
    replace: [
      "  logger.warn('left on the queue'",
      "  if (result.kind === 'lost') return drop('duplicate', logger)\n  logger.warn('left on the queue'",
    ],
  },
]
