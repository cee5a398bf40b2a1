import type { Context } from 'aws-lambda'
import { systemClock } from '../../../../src/library/base/clock.ts'
import type { Faults } from '../../../../src/testing/local/index.ts'
import {
  untilTerminated,
  newInvocation,
  runInside,
} from '../../../../src/testing/local/faults/invocation.ts'
import { lambdaContext } from '../../../../src/testing/local/mapping/runBatch.ts'

const LAMBDA = { name: 'api', arn: 'arn:aws:lambda:us-east-1:000000000000:function:api' }
const TIMEOUT_MS = 3_000
const PAUSE_MS = 200
/** Of the request itself; 409 means that another call is under way. */
const REFUSED: ReadonlySet<number | undefined> = new Set([400, 401, 403, 404, 422])

interface Reply {
  readonly statusCode: number
}

export type Caller = <Answer extends Reply>(
  call: (context: Context) => Promise<Answer>,
) => Promise<Answer>

/**
 * A caller repeats a call that crashed, failed or was busy until it gets an answer; a function that refuses the call never
 * accepts it.
 */
export function callerUnder(faults: Faults): Caller {
  let calls = 0
  return async (call) => {
    for (;;) {
      const invocation = newInvocation((calls += 1), faults, () => {})
      const context = lambdaContext(LAMBDA, Date.now() + TIMEOUT_MS)
      const answer = await Promise.race([
        runInside(invocation, () => call(context)).catch(() => undefined),
        untilTerminated(invocation).then(() => undefined),
      ])
      if (answer !== undefined && answer.statusCode < 300) return answer
      if (REFUSED.has(answer?.statusCode)) throw new Error(`refused with ${answer?.statusCode}`)
      await systemClock.sleep(PAUSE_MS)
    }
  }
}
