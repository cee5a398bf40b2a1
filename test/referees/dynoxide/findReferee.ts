import { DYNOXIDE } from '../engines.ts'

/** Replaces `test/store/findDynoxide.ts`: every test that starts an engine starts this one. */
export function findDynoxide(): string {
  return DYNOXIDE.binary
}
