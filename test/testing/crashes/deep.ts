/** `LINECLEAR_CRASHES=deep`: all schedules, for minutes to hours; else the first ones of where there are many. */
export const isDeep: boolean = process.env['LINECLEAR_CRASHES'] === 'deep'

export const SOME = 300
export const ALL = 1_000_000
