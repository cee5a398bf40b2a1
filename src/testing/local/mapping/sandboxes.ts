import { terminate, freeze, type LocalInvocation, thaw } from '../faults/invocation.ts'
import type { QueueHandler } from './invoke.ts'

/** A process of Lambda's: it runs one invocation at a time, and what a handler has left running goes on with the next one. */
interface Sandbox {
  readonly handler: QueueHandler
  /** Invocations that were answered while code of theirs may still have run. */
  readonly leftovers: Set<LocalInvocation>
}

export interface Sandboxes {
  /** One that is free, or a new one. Whatever was frozen in it goes on. */
  take(): Sandbox
  /** For the next invocation. With `frozen`, nothing in it goes on until then. */
  giveBack(sandbox: Sandbox, frozen: boolean): void
  /** With everything that is left in it. The next new one has a handler of its own, if there is a way to make one. */
  discard(sandbox: Sandbox): void
}

/** What an older one has left running goes on unfrozen. */
const REMEMBERED = 10

export function sandboxes(
  handler: QueueHandler,
  restart: (() => QueueHandler) | undefined,
): Sandboxes {
  const free: Sandbox[] = []
  let hasDied = false
  return {
    take: () => {
      const sandbox = free.pop() ?? {
        handler: hasDied && restart ? restart() : handler,
        leftovers: new Set<LocalInvocation>(),
      }
      for (const leftover of sandbox.leftovers) thaw(leftover)
      return sandbox
    },
    giveBack: (sandbox, frozen) => {
      for (const oldest of [...sandbox.leftovers].slice(0, -REMEMBERED)) {
        sandbox.leftovers.delete(oldest)
      }
      if (frozen) for (const leftover of sandbox.leftovers) freeze(leftover)
      free.push(sandbox)
    },
    discard: ({ leftovers }) => {
      hasDied = true
      for (const leftover of leftovers) terminate(leftover, 'killed')
    },
  }
}
