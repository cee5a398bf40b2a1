import type { InvocationContext } from 'lineclear'
import { fingerprint } from './fingerprint.ts'

/** Makes a call once for each turn, by its name and its arguments, and answers with what the first one answered: data. */
export type Once = <Result>(
  name: string,
  args: unknown,
  make: (call: { readonly idempotencyKey: string }) => Promise<Result>,
  ifUnknown?: 'repeat' | 'stop',
) => Promise<Result>

/**
 * One turn of an agent. A framework tells the model when a tool throws, and the model tries something else. So after a failure,
 * which may be a call of unknown outcome, no other call is made, and the turn fails with it, whatever the agent made of it.
 */
export async function turn<Answer>(
  ctx: InvocationContext,
  agent: (once: Once) => Promise<Answer>,
): Promise<Answer> {
  const asked = new Map<string, Promise<unknown>>()
  const failures: unknown[] = []

  const attempt = async (call: () => Promise<unknown>): Promise<unknown> => {
    if (failures.length > 0) throw failures[0]
    try {
      return await call()
    } catch (error) {
      failures.push(error)
      throw error
    }
  }
  const once: Once = <Result>(...[name, args, make, ifUnknown = 'repeat']: Parameters<Once>) => {
    const unique = `${name} ${fingerprint(args)}`
    const answer = asked.get(unique) ?? attempt(() => ctx.call(unique, make, { ifUnknown }))
    asked.set(unique, answer)
    // One name with the same arguments is one call.
    return answer as Promise<Result>
  }
  const answer = agent(once)
  await answer.catch(() => {})
  // An agent may have given up on a call, by a time limit of its own: how it ends is known only when it has ended.
  await Promise.allSettled(asked.values())
  if (failures.length > 0) throw failures[0]
  return answer
}
