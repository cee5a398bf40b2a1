import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes ten seconds or more, the longest first. A path that is gone or new only costs time. */
const SLOW = [
  'ops/operator/dlqSafety',
  'testing/local/withoutPartialResponses',
  'testing/cloud/recordHandler',
  'proof/campaign',
  'proof/model',
  'documents/examples',
  'ops/cli/walk',
  'ops/cli/dlq',
  'proof/deployments/flows',
  'ops/operator/dlq',
  'testing/exploreCrashes',
  'proof/fault/sigkill',
  'documents/demo',
  'proof/corpus',
  'testing/crashes/found',
  'testing/local/worker',
  'flow/fifo',
  'idempotency/results',
  'documents/deploy',
]

/** So that no worker is left with a long file when the others have ended. */
export class SlowFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((one, other) => rankOf(one) - rankOf(other)))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = SLOW.findIndex((path) => moduleId.includes(`/test/${path}`))
  return rank === -1 ? SLOW.length : rank
}
