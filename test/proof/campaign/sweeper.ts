import {
  type SweepOptions,
  type SweepReport,
  sweepHandler,
} from '../../../src/library/entries/sweeper/sweepHandler.ts'
import type { LocalCloud } from '../../../src/testing/local/index.ts'
import { silent } from './silent.ts'
import { storeOn } from './storeOn.ts'

export function sweeperOn(
  cloud: LocalCloud,
  options: Omit<SweepOptions, 'store' | 'sqs' | 'logger'>,
): () => Promise<SweepReport> {
  const store = storeOn(cloud, silent)
  return sweepHandler({ ...options, store, clients: { sqs: cloud.sqs }, logger: silent })
}
