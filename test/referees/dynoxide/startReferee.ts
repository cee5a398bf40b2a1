import { startDynoxide } from '../../store/dynoxide.ts'

/** Replaces `src/testing/local/engines/inProcessEngine.ts`: every cloud has the other engine. */
export { startDynoxide as startInProcess }
