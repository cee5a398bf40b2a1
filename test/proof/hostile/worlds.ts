import { MODES, type Mode } from '../campaign/modes.ts'

export type WorldName = 'calm' | Mode['world'] | 'killed'

/** A mode, applied wherever a message is delivered and a function is called. */
export interface World extends Omit<Mode, 'world' | 'calm'> {
  /** How often each delivery and each call of a test is made. */
  readonly times?: number
  /** Whether they are made at once, or one after the other. */
  readonly atOnce?: true
  /** Invocations are killed before their first call, after it, before the second one, and so on, until one comes to its end. */
  readonly killsAtEachCall?: true
  readonly losesAnswers?: true
}

const BY_HAND: Readonly<Record<Mode['world'], Pick<World, 'times' | 'atOnce' | 'losesAnswers'>>> = {
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
export const WORLDS: ReadonlyMap<WorldName, World> = new Map<WorldName, World>([
  ['calm', { name: 'nothing goes wrong', faults: {} }],
  ...MODES.map((mode) => [mode.world, { ...mode, ...BY_HAND[mode.world] }] as const),
  ['killed', { name: 'killed once at each await', faults: {}, killsAtEachCall: true }],
])
