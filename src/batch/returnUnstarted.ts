import type { Hold } from '../claim/hold.ts'
import type { Settlement } from '../claim/settlement.ts'

/** Claimed, but there is no time to run it. If this write is lost the lease runs out and costs the attempt. */
export async function returnUnstarted(hold: Hold): Promise<Settlement> {
  await hold.release()
  return { kind: 'handedBack' }
}
