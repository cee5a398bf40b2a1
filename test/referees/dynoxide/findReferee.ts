import { DYNOXIDE } from '../engines.ts'

/** Replaces `src/testing/local/findDynoxide.ts`: every cloud and every test that starts an engine starts this one. */
export function findDynoxide(): string {
  return DYNOXIDE.binary
}
