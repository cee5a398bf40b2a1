import type { OutsideState } from '../../../testing/local/dev/outsideSystems.ts'
import type { Sending } from '../../../testing/local/dev/sendToCloud.ts'
import type { Faults } from '../../../testing/local/faults/faults.ts'
import type { CallMatch } from '../../../testing/local/faults/strikes.ts'

/**
 * `GET /api/dev`. Here are the answers and bodies of the routes that only `lineclear dev` has: times are ISO 8601, what FILE does not
 * have is answered with 404, and what cannot be done now with 409.
 */
export interface DevState extends Omit<Health, 'since'> {
  /** FILE; files are relative to the working directory. */
  readonly file: string
  readonly since: string
  readonly seed: number
  /** Consumers of the last load that succeeded. */
  readonly consumers: readonly DevConsumerState[]
  readonly outside: readonly DevOutside[]
  /** By queue or topic, with an entry for each that can be sent to. */
  readonly samples: readonly DevSample[]
}

/** Health of the handlers' process. */
export interface Health {
  /** `broken`: nothing runs, and messages wait, until a file is changed or `retryAt`. */
  readonly state: 'loading' | 'ready' | 'broken'
  /** When `state` became what it is. */
  readonly since: number
  /** Only when `broken`. */
  readonly error?: DevError
  /** How often the handlers were loaded again. */
  readonly reloads: number
  /** How long the last load that succeeded took, from the change of a file to the first poll, milliseconds. */
  readonly reloadMs?: number
  /** Files that were loaded: a change of one of them loads all again. */
  readonly files: readonly string[]
}

export interface DevError {
  /** `load`: a file cannot be loaded, or throws. `died`: the process ended by itself. */
  readonly kind: 'load' | 'died'
  readonly message: string
  /** Relative to the working directory; absent when it is not known. */
  readonly file?: string
  readonly line?: number
  /** The handlers are started again then by themselves; absent: after a change of a file. */
  readonly retryAt?: string
}

export interface DevConsumerState {
  readonly queue: string
  readonly functionName: string
  /** As they are now. */
  readonly faults: Faults
  /** Waits for its call. */
  readonly killNext?: KillNext
  /** No message is taken: `lineclear pause`. */
  readonly paused: boolean
  readonly running: number
}

export interface DevOutside {
  readonly name: string
  readonly url: string
  readonly state: OutsideState
  /** Requests that it has carried out: none that it has answered before. */
  readonly calls: number
}

export interface DevSample {
  readonly to: string
  readonly kind: 'queue' | 'topic'
  readonly payload?: unknown
  /** `file`: the sample of FILE. `sent`: what was sent last. */
  readonly from?: 'file' | 'sent'
  /** FILE's sample is a function: without a payload each message gets the next one. */
  readonly counts: boolean
  /** For a queue: the topics that deliver to it, for `bySns`. */
  readonly topics: readonly string[]
  readonly fifo: boolean
}

/** `POST /api/dev/send` */
export interface SendBody extends Omit<Sending, 'payload' | 'copies'> {
  /** Any JSON; a text is sent as it is. Default: FILE's sample. */
  readonly payload?: unknown
  /** 1 to 1,000: `-2`, `-3` … are added to the `uniqueRequestId` from the second on. Default 1. */
  readonly times?: number
  /** Each request is delivered twice. Default false. */
  readonly twice?: boolean
}

export interface DevSendAnswer {
  /** Ids of the requests in the order in which they were sent, unless their handler reads its id from the payload. */
  readonly sent: readonly string[]
}

/** `POST /api/dev/fault`: one of the three. It is answered with the state afterwards. */
export type FaultBody =
  /** Those that are not given stay. */
  | { readonly consumer: string; readonly faults: Faults }
  | { readonly consumer: string; readonly killNext: KillNext | null }
  | { readonly outside: string; readonly state: OutsideState }

/** Kills one invocation at the next call that fits all parts that are given, once. `null` takes it back. */
export interface KillNext extends Omit<CallMatch, 'request'> {
  /** Before the call leaves, or after it took effect. Default 'after'. */
  readonly when?: 'before' | 'after'
}

/** `GET /api/dev/books` */
export interface BooksAnswer {
  /** No message is on its way to a consumer, and no invocation runs. */
  readonly atRest: boolean
  readonly books: readonly DevBook[]
}

export interface DevBook {
  readonly name: string
  readonly kind: 'own' | 'automatic'
  /**
   * `waiting`: it says something only at rest. `failed`: it threw, and `note` says what. `unknown`: it was not read yet, or FILE
   * cannot be loaded.
   */
  readonly state: 'green' | 'red' | 'waiting' | 'failed' | 'unknown'
  readonly offending: readonly Offence[]
  readonly count: number
  /** @example '40 of 40' */
  readonly note?: string
}

export interface Offence {
  /** The id of a request, for a link to its page. */
  readonly request?: string
  /** @example 'charge was made 2 times' */
  readonly text: string
}

/** `POST /api/dev/save`: a new file beside FILE, named after it and the first red book. */
export interface SaveAnswer {
  /** Relative to the working directory. */
  readonly file: string
  readonly text: string
  readonly messages: number
  readonly faults: number
  /** What was wrong in the run, in a sentence. The file begins with it. */
  readonly was: string
  /** Runs it. @example 'npx vitest run orders.dev.test.ts' */
  readonly run: string
}
