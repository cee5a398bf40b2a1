import type { OnConflict } from '../../../../src/library/protocol/claim/stage/stageMessage.ts'
import type { Process } from '../../../../src/library/protocol/claim/stage/stageRecord.ts'
import type { Item } from '../../../../src/library/protocol/store/store.ts'

/** What a handler does, one thing at a time. */
export type Step =
  /** In one transaction with its mark. */
  | { readonly effect: string }
  /** An effect whose guard refuses it in the first attempt, and which a later attempt therefore makes for the first time. */
  | { readonly late: string }
  /** An outside call; its answer is kept. */
  | { readonly call: string; readonly as: 'repeat' | 'stop' }
  | { readonly send: string }
  /** Saves an AwaitingStep for these external ids; the stage `awaits` goes on when `need` of them are answered. */
  | { readonly awaits: string; readonly ids: readonly string[]; readonly need: number }

export interface Request {
  readonly uid: string
  readonly sentAt: number
  /** Copies on the queue from the start. Default 1. */
  readonly copies?: number
}

export interface Scenario {
  readonly name: string
  readonly process: Process
  readonly onConflict: OnConflict
  readonly requests: readonly Request[]
  /** The first one starts the flow. A stage that sends nothing ends it. */
  readonly stages: Readonly<Record<string, readonly Step[]>>
  readonly faults: number
  /** At once. */
  readonly invocations: number
  readonly maxAttempts: number
  /** Deliveries of one copy that begin work; then SQS moves it to its own dead-letter queue. */
  readonly deliveries: number
  /** Messages in all. */
  readonly copies: number
  readonly errors: number
  readonly resets: number
  /** How often an operator drops a dead request. */
  readonly drops: number
  readonly redrives: number
  /** How often an external system gives each answer. */
  readonly answers: number
  /** The second answer says something else. */
  readonly contradicts: boolean
  /** External systems that never answer. */
  readonly silent: boolean
  /** Timeouts that the sweeper sends. */
  readonly timeouts: number
  /** How many times the give-up time of whatever runs may pass. */
  readonly ages: number
  /** The stage whose schema refuses the payload, until an operator redrives it. */
  readonly refuses: string
  /** A bad deployment refuses every retry, until an operator redrives it. */
  readonly refusesRetries: boolean
  /** How often the table is restored to what it was before any request. */
  readonly restores: number
  /** Messages that no stage has sent, for a stage of the run that is under way. */
  readonly forges: number
  /** Attributes of the record at the start, when it exists already. */
  readonly record: Item | undefined
  /** Its flow has a failure handler. */
  readonly reports: boolean
  /** First deliveries claim before they read the record. */
  readonly unread: boolean
  /** States after which the search is cut. */
  readonly limit: number
}

const USUAL: Omit<Scenario, 'name' | 'process' | 'onConflict' | 'requests'> = {
  stages: {
    A: [{ effect: 'a' }, { send: 'B' }],
    B: [{ effect: 'b' }],
  },
  faults: 1,
  invocations: 2,
  maxAttempts: 2,
  deliveries: 2,
  copies: 8,
  errors: 0,
  resets: 0,
  drops: 0,
  redrives: 0,
  answers: 1,
  contradicts: false,
  silent: false,
  timeouts: 0,
  ages: 1,
  refuses: '',
  refusesRetries: false,
  restores: 0,
  forges: 0,
  record: undefined,
  reports: false,
  unread: false,
  limit: 900_000,
}

export function scenario(
  given: Partial<Scenario> & Pick<Scenario, 'name' | 'process' | 'onConflict' | 'requests'>,
): Scenario {
  return { ...USUAL, ...given }
}
