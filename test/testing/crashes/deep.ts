import { isProof } from '../../proof/depth.ts'

/** `LINECLEAR_CRASHES=deep`: all schedules, for minutes to hours; else, where there are many, the first ones. */
export const isDeep: boolean = process.env['LINECLEAR_CRASHES'] === 'deep'

export const SOME: number = isProof ? 300 : 100
export const ALL = 1_000_000
