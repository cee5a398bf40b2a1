/** Replaces `lineclear/local` in a hostile world. */
export * from '../../../../src/testing/local/index.ts'
export { mapInWorld as mapQueue } from '../mapInWorld.ts'
