/**
 * What a batch in which every record completes does without. Loaded on its first use, see lazy.ts. `tokenStrategy` is here for the
 * late answers of a flow; consumers of single records import it directly.
 */
export { buildResponse, endsSoFar, responseSite } from './buildResponse.ts'
export { divide } from './divide.ts'
export { handleFailure } from './handleFailure.ts'
export { settleWithoutRun } from './settleWithoutRun.ts'
export { tokenStrategy } from './tokenStrategy.ts'
export { noContext, unexpectedEvent } from './unexpectedEvent.ts'
