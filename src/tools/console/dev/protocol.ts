import { messageOf } from '../../../library/base/errors.ts'
import type {
  Environment,
  OutsideRequest,
  OutsideUrls,
  SentRequest,
} from '../../../testing/local/dev/definition.ts'
import type { BookState } from '../../../testing/local/dev/bookContext.ts'
import type { CloudDescription } from '../../../testing/local/description/description.ts'
import type { ConsumerDescription } from '../../../testing/registry/consumersOf.ts'
import type { CallFault, Faults } from '../../../testing/local/faults/faults.ts'
import type { CallMatch } from '../../../testing/local/faults/strikes.ts'
import type { LocalEvent } from '../../../testing/local/observe/event.ts'
import type { Endpoints } from '../../../testing/local/sdk/clients.ts'
import type { DevConsumerState, DevSample } from './types.ts'

/** A file as it was when it was loaded. */
export interface LoadedFile {
  readonly path: string
  /** Undefined: it did not exist. */
  readonly stamp: string | undefined
}

/** What FILE exports, as far as it is data. */
export interface Described {
  readonly cloud: CloudDescription
  readonly consumers: readonly Pick<DevConsumerState, 'queue' | 'functionName' | 'faults'>[]
  /** By queue or topic. */
  readonly samples: Readonly<Record<string, Pick<DevSample, 'payload' | 'counts'>>>
  readonly outside: readonly string[]
  readonly books: readonly string[]
}

/** Where the handlers find the cloud. */
export interface CloudAddress {
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

export interface LoadFailure {
  readonly message: string
  /** As Node.js prints it: of a syntax error it begins with the place. */
  readonly stack: string
}

/** What the parent asks the process of the handlers. */
export interface OfHandlers extends Record<string, (argument: never) => unknown> {
  load(file: string): Promise<void>
  start(place: CloudAddress): Promise<void>
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
  answerOutside(asked: { readonly name: string; readonly request: OutsideRequest }): unknown
}

/** What the process of the handlers reports to its parent, and asks it. */
export interface OfParent extends Record<string, (argument: never) => unknown> {
  loaded(file: LoadedFile): void
  described(described: Described): void
  ready(consumers: HandlersOf): void
  failed(failure: LoadFailure): void
  event(event: LocalEvent): void
  calls(system: string): readonly OutsideRequest[]
}

/** One end of a connection between two processes, as `process` and a `ChildProcess` have it. */
interface Channel {
  send(message: object): void
  onMessage(listener: (message: unknown) => void): void
}

type Calls = Readonly<Record<string, (argument: never) => unknown>>
type Argument<Call> = Call extends (argument: infer A) => unknown ? A : never
type Answer<Call> = Call extends (argument: never) => infer R ? Awaited<R> : never

interface Peer<Theirs extends Calls> {
  /** Asks the other side. @throws Error with its words when it fails there. Never settles when the other side is gone */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    argument: Argument<Theirs[Name]>,
  ): Promise<Answer<Theirs[Name]>>
  /** The same, without waiting for an answer. */
  tell<Name extends keyof Theirs & string>(name: Name, argument: Argument<Theirs[Name]>): void
}

/** `id` is that of the question; without one no answer is expected. */
type Wire =
  | { readonly call: string; readonly id?: number; readonly argument: unknown }
  | { readonly answered: number; readonly value: unknown }
  | { readonly failed: number; readonly message: string }

/** Questions and answers over a channel, in both directions. */
export function connect<Ours extends Calls, Theirs extends Calls>(
  channel: Channel,
  ours: Ours,
): Peer<Theirs> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let asked = 0
  const send = (message: Wire): void => channel.send(message)

  async function answer(call: string, id: number | undefined, argument: unknown): Promise<void> {
    const run = ours[call] as ((argument: unknown) => unknown) | undefined
    try {
      const value = await run?.(argument)
      if (id !== undefined) send({ answered: id, value })
    } catch (error) {
      if (id === undefined) throw error
      send({ failed: id, message: messageOf(error) })
    }
  }

  channel.onMessage((message) => {
    const wire = message as Wire
    if ('call' in wire) return void answer(wire.call, wire.id, wire.argument)
    const id = 'answered' in wire ? wire.answered : wire.failed
    const question = waiting.get(id)
    waiting.delete(id)
    if ('answered' in wire) question?.resolve(wire.value)
    else question?.reject(new Error(wire.message))
  })

  return {
    ask: (call, argument) => {
      const id = (asked += 1)
      const question = Promise.withResolvers<unknown>()
      waiting.set(id, question)
      send({ call, id, argument })
      return question.promise as Promise<never>
    },
    tell: (call, argument) => send({ call, argument }),
  }
}
