import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes eight seconds or more: what waits stands beside what computes. A path that is gone or new only costs time. */
const SLOW = [
  'ops/operator/dlqSafety',
  'testing/local/withoutPartialResponses',
  'proof/campaign',
  'documents/demo',
  'documents/deploy',
  'documents/examples',
  'testing/counter',
  'testing/exploreCrashes',
  'testing/local/worker',
  'idempotency/results',
  'producer/consumers',
  'proof/model',
  'testing/crashes',
  'testing/cloud/recordHandler',
  'ops/cli/process',
  'ops/cli/cli',
  'proof/fault',
  'package/dist',
  'flow/fifo',
  'proof/corpus',
]

/** So that no worker is left with a long file when the others have ended. */
export class SlowFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((one, other) => rankOf(one) - rankOf(other)))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = SLOW.findIndex((path) => moduleId.includes(`/${path}`))
  return rank === -1 ? SLOW.length : rank
}
