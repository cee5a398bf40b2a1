export { sweepHandler, type SweepOptions, type SweepReport } from './sweep/sweepHandler.ts'
export type { DelayedReport } from './sweep/sendDelayed.ts'
export type { SweepOutcome } from './sweep/sweepItem.ts'
