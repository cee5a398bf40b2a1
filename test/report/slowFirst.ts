import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes four seconds or more: what waits stands beside what computes. A path that is gone or new only costs time. */
const SLOW = [
  'console/browser/tasksBy',
  'console/browser/looks',
  'console/browser/hostile',
  'console/browser/address',
  // A minute of one core each, in a single test: the last of them would leave the other core idle.
  'proof/model/invocation/promises',
  'proof/campaign/hostile',
  'proof/model/promises',
  'testing/exploreCrashes',
  'testing/local/withoutPartialResponses',
  'testing/local/worker',
  'proof/badInput/records',
  'flow/fifo',
  'proof/model/invocation',
  'features/payloads/crashes',
  'features/payloads/lives',
  'proof/model/delays',
  'proof/campaign',
  'testing/cloud/recordHandler',
  'call/results',
  'stack.test',
  'call/invocation/takeover',
  'flow/awaits',
  'proof/model/stage',
  'testing/crashes',
  'tools/cli/process',
  'tools/cli/cli',
  'proof/fuzz',
  'proof/corpus',
  'structure',
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
