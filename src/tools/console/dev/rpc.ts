import { messageOf } from '../../../base/errors.ts'

/** One end of a connection between two processes, as `process` and a `ChildProcess` have it. */
interface Channel {
  send(message: object): void
  onMessage(listener: (message: unknown) => void): void
}

/** What one side can be asked, by name: each takes one argument and gives one answer. */
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
