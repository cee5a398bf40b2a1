export { sweepHandler, type SweepOptions, type SweepReport } from './sweepHandler.ts'
export type { Swept } from './sweepItem.ts'
