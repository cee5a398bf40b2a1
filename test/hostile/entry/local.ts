/** What tests and examples get for `lineclear/local` in a hostile world. */
export * from '../../../src/local/index.ts'
export { mapInWorld as mapQueue } from '../mapInWorld.ts'
