import { type Facts, isNewer } from './facts.ts'
import type { Scenario } from './scenario.ts'

/**
 * A request that nobody has ended and nobody was told of. In a newest-flow a newer one stands for it that has started, or that
 * an operator was told of.
 */
export function lostIn(scenario: Scenario, { of, newest }: Facts): string | undefined {
  const told = Object.keys(of).filter((uid) => of[uid]?.told)
  const stand = scenario.order === 'newest' ? [newest, ...told] : []
  const lost = Object.entries(of).find(
    ([uid, fact]) =>
      (fact.end === '' || fact.end === 'coalesced') &&
      !fact.told &&
      !stand.some((other) => isNewer(scenario, other, uid)),
  )
  if (lost === undefined) return undefined
  const [uid] = lost
  const newer = Object.keys(of).some((other) => isNewer(scenario, other, uid))
  return scenario.order === 'newest' && !newer
    ? `N2 newest wins: the newest request is lost: ${uid}`
    : `I1 request lost: ${uid}`
}

/** What stands in the tables at the end is of the newest request that has completed, or of a newer one that died. */
export function staleIn(scenario: Scenario, { of, writers }: Facts): string | undefined {
  if (scenario.order === 'every') return undefined
  const done = Object.keys(of).filter((uid) => of[uid]?.end === 'completed')
  const newest = done.reduce((one, other) => (isNewer(scenario, one, other) ? one : other), '')
  const stale = Object.entries(writers).find(([, uid]) => isNewer(scenario, newest, uid))
  return stale && `N2 newest wins: at the end ${stale[0]} is of ${stale[1]}, not of ${newest}`
}
