import { bound } from '../../proof/depth.ts'

/** `LINECLEAR_CRASHES=deep`: all schedules, for minutes to hours; else, where there are many, the first ones. */
export const isDeep: boolean = process.env['LINECLEAR_CRASHES'] === 'deep'

export const SOME: number = bound(100, 150, 300)
export const ALL = 1_000_000
