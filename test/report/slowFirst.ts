import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes four seconds or more: what waits stands beside what computes. A path that is gone or new only costs time. */
const SLOW = [
  'console/browser/tasksBy',
  'console/browser/looks',
  'console/browser/hostile',
  'console/browser/address',
  'documents/demo/demo',
  'documents/deploy/template',
  'testing/exploreCrashes',
  'testing/local/withoutPartialResponses',
  'testing/local/worker',
  'proof/badInput/records',
  'flow/fifo',
  'proof/model/invocation',
  'payloads/crashes',
  'payloads/lives',
  'proof/model/delays',
  'package/dist',
  'proof/campaign',
  'testing/cloud/recordHandler',
  'idempotency/results',
  'documents/examples/recipes',
  'stack.test',
  'invocation/takeover',
  'flow/awaits',
  'proof/model/stage',
  'testing/crashes',
  'ops/cli/process',
  'ops/cli/cli',
  'undo/dead',
  'proof/deployments/records',
  'proof/fuzz',
  'proof/corpus',
  'report/closingLine',
  'documents/readme',
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
