import { MODES, type Mode } from '../campaign/modes.ts'

export type ModeName = 'calm' | Mode['id'] | 'killed'

/** A mode, applied wherever a message is delivered and a function is called. */
export interface HostileMode extends Omit<Mode, 'id' | 'calm'> {
  /** How often each delivery and each call of a test is made. */
  readonly times?: number
  /** Whether they are made at once, or one after the other. */
  readonly atOnce?: true
  /** Invocations are killed before their first call, after it, before the second one, and so on, until one comes to its end. */
  readonly killsAtEachCall?: true
  readonly losesAnswers?: true
}

const BY_HAND: Readonly<
  Record<Mode['id'], Pick<HostileMode, 'times' | 'atOnce' | 'losesAnswers'>>
> = {
  twice: { times: 2 },
  atOnce: { times: 2, atOnce: true },
  lost: { losesAnswers: true },
  dying: {},
  clocks: {},
  conflicts: {},
  stale: { times: 2 },
  ten: { times: 10, atOnce: true },
}

/** The modes of the campaign, and one that is too slow for more than a few messages. */
export const HOSTILE_MODES: ReadonlyMap<ModeName, HostileMode> = new Map<ModeName, HostileMode>([
  ['calm', { name: 'nothing goes wrong', faults: {} }],
  ...MODES.map((mode) => [mode.id, { ...mode, ...BY_HAND[mode.id] }] as const),
  ['killed', { name: 'killed once at each await', faults: {}, killsAtEachCall: true }],
])
