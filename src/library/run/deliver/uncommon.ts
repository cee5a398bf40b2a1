/** What a batch in which every record completes does without: a cold start does not read it. */
export { handleFailure } from './handleFailure.ts'
export { buildResponse, endsSoFar } from './buildResponse.ts'
export { responseSite } from './responseSite.ts'
export { actOf } from './runOnFailure.ts'
export { settleWithoutRun } from './settleWithoutRun.ts'
/** For the late answers and the ends of a flow; a consumer of single records imports it directly. */
export { tokenStrategy } from './tokenStrategy.ts'
export { noContext, unexpectedEvent } from './unexpectedEvent.ts'
/** For the failure handler of a flow. */
export { shortKey } from '../context/outsideCalls.ts'
export { readResult } from '../context/results.ts'
