/**
 * What a batch in which every record completes does without. Loaded on its first use, see lazy.ts. `tokenStrategy` is here for the
 * late answers of a flow; consumers of single records import it directly.
 */
export { buildResponse } from './buildResponse.ts'
export { divide } from './divide.ts'
export { endsSoFar } from './buildResponse.ts'
export { handleFailure } from './handleFailure.ts'
export { probeMapping } from './probeMapping.ts'
export { settleWithoutRun } from './settleWithoutRun.ts'
export { tokenStrategy } from './tokenStrategy.ts'
export { noContext, unexpectedEvent } from './unexpectedEvent.ts'
