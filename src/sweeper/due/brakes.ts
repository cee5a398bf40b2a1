import { BRAKE_SHARD } from '../../features/brake/brakeRow.ts'
import type { Store } from '../../store/store.ts'
import type { IndexEntry } from './listDue.ts'

/** Each consumer and each stage has at most one. */
const MOST = 1_000

/** The brakes that are on. */
interface Brakes {
  readonly number: number
  /** Whether its next attempt is late because of a brake. */
  holdBack(entry: IndexEntry): boolean
}

export const NO_BRAKES: Brakes = { number: 0, holdBack: () => false }

/**
 * One query of the status index, which may be a second old.
 * @throws StoreUnavailableError
 */
export async function readBrakes(store: Store): Promise<Brakes> {
  const all = { statusShard: BRAKE_SHARD, until: Number.MAX_SAFE_INTEGER, most: MOST }
  const page = await store.due(all)
  if (page.kind === 'failed') throw page.error
  const prefixes = page.keys.flatMap(({ sk }) => prefixesOf(sk))
  return {
    number: page.keys.length,
    holdBack: ({ status, key: { pk } }) =>
      (status === 'inProgress' || status === 'running') &&
      prefixes.some((prefix) => pk.startsWith(prefix)),
  }
}

/** Partition keys of a consumer's tokens, and of the runs of a flow whose stage it is: `flow.stage`. */
function prefixesOf(brake: string): readonly string[] {
  const dot = brake.lastIndexOf('../../tools/operator/tasks.')
  return [`lock#${brake}/`, ...(dot > 0 ? [`flow#${brake.slice(0, dot)}/`] : [])]
}
