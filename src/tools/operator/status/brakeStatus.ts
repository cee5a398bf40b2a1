import { BRAKE_SHARD, readBrake } from '../../../features/brake/brake.ts'
import type { Store } from '../../../store/store.ts'
import { loadItems } from '../../../sweeper/due/listDue.ts'
import { formatTime } from '../text/humanTime.ts'
import { nextStep, type StatusFinding } from './finding.ts'

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
