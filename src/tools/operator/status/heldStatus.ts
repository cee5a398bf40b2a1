import { type Pause, subjectOf } from '../../../sweeper/pause/pauseRow.ts'
import { formatTime } from '../text/humanTime.ts'
import { nextStep, type StatusFinding } from './finding.ts'
import { BRAKE_SHARD, readBrake } from '../../../features/brake/brake.ts'
import type { Store } from '../../../store/store.ts'
import { loadItems } from '../../../sweeper/due/listDue.ts'

/** The sweeper runs once a minute, milliseconds. */
const GRACE = 2 * 60_000

/** What operators have paused. A pause is a note, until it should have ended, or if it was begun and not finished. */
export function pauseStatus(pauses: readonly Pause[], now: number): readonly StatusFinding[] {
  return pauses.map((pause) => ({
    severity: isLate(pause, now) ? 'warn' : 'note',
    kind: 'paused',
    of: subjectOf(pause),
    number: 1,
    atLeast: false,
    since: pause.since,
    what: describe(pause, now),
    ...nextStep({ action: 'resume', options: { mapping: pause.mapping } }),
  }))
}

function isLate({ state, until = Infinity, since }: Pause, now: number): boolean {
  return until + GRACE < now || (state !== 'paused' && since + GRACE < now)
}

function describe({ state, by, why, until }: Pause, now: number): string {
  if (state !== 'paused') return `${state}, begun by ${by} and not finished: ${why}`
  if (until === undefined) return `by ${by}, until it is resumed: ${why}`
  const end = formatTime(until, now)
  return until > now
    ? `by ${by} until ${end}: ${why}`
    : `by ${by}; it should have ended ${end}, and the sweeper has not resumed it: ${why}`
}

/** Each consumer has one brake. */
const MOST = 1_000

/**
 * Consumers and stages whose brake is on.
 * @throws StoreUnavailableError
 */
export async function brakeStatus(store: Store, now: number): Promise<readonly StatusFinding[]> {
  const all = { statusShard: BRAKE_SHARD, until: Number.MAX_SAFE_INTEGER, most: MOST }
  const page = await store.due(all)
  if (page.kind === 'failed') throw page.error
  if (page.keys.length === 0) return []
  const items = await loadItems(
    store,
    page.keys.map(({ pk, sk }) => ({ pk, sk })),
  )
  return items
    .flatMap((item) => readBrake(item) ?? [])
    .map(({ name, since, probeAt, error }) => ({
      severity: 'warn',
      kind: 'braked',
      of: name,
      number: 1,
      atLeast: false,
      since,
      what: `no handler is started until a probe completes; the next one ${formatTime(probeAt, now)}: ${error}`,
      // Nothing needs to be done; for a known time a pause saves the probes and the receives.
      ...nextStep({ action: 'pause', options: { consumer: name, for: '1h' } }),
    }))
}
