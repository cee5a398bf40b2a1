/** Replaces `lineclear/local` in a hostile mode. */
export * from '../../../../src/testing/local/index.ts'
export { mapInMode as mapQueue } from '../mapInMode.ts'
