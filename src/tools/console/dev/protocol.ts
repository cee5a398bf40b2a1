import type {
  Environment,
  OutsideRequest,
  OutsideUrls,
  SentRequest,
} from '../../../testing/local/dev/definition.ts'
import type { RecordedRun } from '../../../testing/local/dev/replayRun.ts'
import type { BookState } from '../../../testing/local/dev/bookContext.ts'
import type { CloudDescription } from '../../../testing/local/description/description.ts'
import type { ConsumerDescription } from '../../../testing/registry/consumersOf.ts'
import type { CallFault, Faults } from '../../../testing/local/faults/faults.ts'
import type { CallMatch } from '../../../testing/local/faults/strikes.ts'
import type { LocalEvent } from '../../../testing/local/observe/event.ts'
import type { Endpoints } from '../../../testing/local/sdk/clients.ts'

/** A file as it was when it was loaded. */
export interface LoadedFile {
  readonly path: string
  /** Undefined: it did not exist. */
  readonly stamp: string | undefined
}

/** What FILE exports, as far as it is data. */
export interface Described {
  readonly cloud: CloudDescription
  readonly consumers: readonly {
    readonly queue: string
    readonly functionName: string
    readonly faults: Faults
  }[]
  /** By queue or topic: a payload, or that it is a function. */
  readonly samples: Readonly<
    Record<string, { readonly payload: unknown; readonly counts: boolean }>
  >
  readonly outside: readonly string[]
  readonly books: readonly string[]
}

/** Where the handlers find the cloud. */
export interface Place {
  readonly file: string
  readonly endpoints: Endpoints
  readonly environment: Environment
  readonly outside: OutsideUrls
  /** By queue. */
  readonly faults: Readonly<Record<string, Faults>>
  /** Queues whose mapping is paused. */
  readonly paused: readonly string[]
  readonly managed: boolean
}

/** What Lineclear has made of the handler of each queue. */
export type HandlersOf = Readonly<Record<string, readonly ConsumerDescription[]>>

/** An error at load, as data. */
export interface LoadFailure {
  readonly message: string
  /** As Node.js prints it: of a syntax error it begins with the place. */
  readonly stack: string
}

/** What the parent asks the process of the handlers. */
export interface OfHandlers extends Record<string, (argument: never) => unknown> {
  load(file: string): Promise<void>
  start(place: Place): Promise<void>
  setFaults(asked: { readonly queue: string; readonly faults: Faults }): void
  strike(asked: {
    readonly queue: string
    /** Null takes back what waits. */
    readonly fault: CallFault | null
    readonly match: CallMatch
  }): void
  /** Resolves when its running invocations have ended. */
  pause(queue: string): Promise<void>
  resume(queue: string): void
  sample(asked: { readonly to: string; readonly number: number }): unknown
  readBooks(asked: {
    readonly sent: readonly SentRequest[]
    readonly atRest: boolean
  }): Promise<readonly BookState[]>
  /** Loads FILE into this process and replays a run. @returns what was red at its end */
  replay(asked: { readonly file: string; readonly run: RecordedRun }): Promise<readonly string[]>
  answerOutside(asked: { readonly name: string; readonly request: OutsideRequest }): unknown
}

/** What the process of the handlers tells and asks its parent. */
export interface OfParent extends Record<string, (argument: never) => unknown> {
  loaded(file: LoadedFile): void
  described(described: Described): void
  ready(consumers: HandlersOf): void
  failed(failure: LoadFailure): void
  event(event: LocalEvent): void
  calls(system: string): readonly OutsideRequest[]
}
