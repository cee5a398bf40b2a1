import { terminate, freeze, type LocalInvocation, thaw } from '../faults/invocation.ts'
import type { QueueHandler } from './invoke.ts'

/** A Lambda process: it runs one invocation at a time, and code that a handler has left running continues with the next one. */
interface Sandbox {
  readonly handler: QueueHandler
  /** Earlier invocations, whose code may still run. */
  readonly leftovers: Set<LocalInvocation>
  /** Ends all its invocations together, on Managed Instances. */
  readonly termination?: AbortController
}

export interface Sandboxes {
  /** A free sandbox or a new one. Code that was frozen in it continues. */
  take(): Sandbox
  /** Frees the sandbox for the next invocation. With `frozen`, no code in it runs until then. */
  giveBack(sandbox: Sandbox, invocation: LocalInvocation, frozen: boolean): void
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
    giveBack: (sandbox, invocation, frozen) => {
      sandbox.leftovers.add(invocation)
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

/** A process of Managed Instances: all invocations run in it side by side, and it dies with all of them. It is never frozen. */
export function sharedProcess(
  handler: QueueHandler,
  restart: (() => QueueHandler) | undefined,
): Sandboxes {
  const start = (running: QueueHandler) => ({
    handler: running,
    leftovers: new Set<LocalInvocation>(),
    termination: new AbortController(),
  })
  let current = start(handler)
  return {
    take: () => {
      if (current.termination.signal.aborted) current = start(restart?.() ?? handler)
      return current
    },
    giveBack: () => {},
    discard: () => {},
  }
}
