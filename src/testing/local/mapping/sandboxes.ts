import { terminate, freeze, type LocalInvocation, thaw } from '../faults/invocation.ts'
import type { QueueHandler } from './invoke.ts'

/** A Lambda process: it runs one invocation at a time, and code that a handler has left running continues with the next one. */
interface Sandbox {
  readonly handler: QueueHandler
  /** Earlier invocations, whose code may still run. */
  readonly leftovers: Set<LocalInvocation>
}

export interface Sandboxes {
  /** A free sandbox or a new one. Code that was frozen in it continues. */
  take(): Sandbox
  /** Frees the sandbox for the next invocation. With `frozen`, no code in it runs until then. */
  giveBack(sandbox: Sandbox, frozen: boolean): void
  /** Ends the sandbox with all code in it. The next new one gets a new handler from `restart`, if there is one. */
  discard(sandbox: Sandbox): void
}

/** The most earlier invocations that a sandbox remembers; older ones are never frozen. */
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
