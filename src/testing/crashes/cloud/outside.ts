import { callThrowing } from '../simulation/callThrowing.ts'
import type { ScheduleContext } from '../simulation/scheduleContext.ts'
import type { Actor } from '../simulation/simulation.ts'
import type { CrashCallFault } from '../simulation/crashFaults.ts'

const FAULTS: readonly CrashCallFault[] = [
  'request lost',
  'answer lost',
  'killed before',
  'killed on the wire',
  'killed each time',
]

/** Calls an outside system by name. */
export type CallOutside = (
  name: string,
  key?: { readonly idempotencyKey: string },
  request?: unknown,
) => Promise<string>

/** A test double for every outside system, which records the calls. */
export function outsideOf(context: ScheduleContext, actor: Actor): CallOutside {
  return (name, key, request) =>
    callThrowing(context, actor, {
      what: `calls '${name}'${key === undefined ? ' without a key' : ''}`,
      apply: () => {
        take(context, name, key?.idempotencyKey, JSON.stringify(request) ?? '')
        return `answer of ${name}`
      },
      id: `${name} ${key?.idempotencyKey}`,
      faults: FAULTS,
    })
}

function take(
  context: ScheduleContext,
  name: string,
  key: string | undefined,
  request: string,
): void {
  const { calls, clashes, terms } = context
  const known = calls.find((each) => each.name === name && each.key === key)
  if (key === undefined || known === undefined || terms.keys === 'ignored') {
    calls.push({ name, key: key ?? `call ${calls.length + 1}`, request })
    return
  }
  if (known.request === request) return
  clashes.push(`call '${name}': the key of ${known.request} stands for ${request} too`)
}
