import { callThrowing } from '../simulation/call.ts'
import type { ScheduleContext } from '../simulation/scheduleContext.ts'
import type { Actor } from '../simulation/simulation.ts'
import { type CrashCallFault, KILLED, LOST, READ, SENT } from '../simulation/crashFaults.ts'
import { ConfigError, messageOf, StoreUnavailableError } from '../../../library/base/errors.ts'
import { kindOf } from '../../../library/base/kindOf.ts'
import { openPayloads } from '../../../library/features/payloads/openPayloads.ts'
import type { Offload } from '../../../library/run/context/results/resultStore.ts'

const FAULTS: readonly CrashCallFault[] = [...LOST, ...KILLED, 'killed each time']

/** Calls an outside system by name. */
export type CallOutside = (
  name: string,
  key?: { readonly idempotencyKey: string },
  request?: unknown,
) => Promise<string>

/** A test double for every outside system, which records the calls. */
export function outsideOf(context: ScheduleContext, actor: Actor): CallOutside {
  return (name, key, request) => {
    if (key !== undefined && typeof key.idempotencyKey !== 'string') {
      throw new ConfigError(
        `outside('${name}'): expected the key as { idempotencyKey }, which ctx.call hands to its call; got ${kindOf(key)}`,
      )
    }
    return callThrowing(context, actor, {
      what: `calls '${name}'${key === undefined ? ' without a key' : ''}`,
      apply: () => {
        take(context, name, key?.idempotencyKey, JSON.stringify(request) ?? '')
        return `answer of ${name}`
      },
      id: `${name} ${key?.idempotencyKey}`,
      faults: FAULTS,
    })
  }
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

/** Where large payloads are kept, as one invocation sees it. */
export function offloadOf(context: ScheduleContext, actor: Actor): Offload {
  const { objects } = context
  const payloads = openPayloads(
    {
      placeOf: (name) => `memory://${name}`,
      put: (name, text) =>
        callThrowing(context, actor, {
          what: 'writes a payload',
          apply: () => void objects.set(name, text),
          faults: SENT,
        }).catch(unavailable),
      get: (name) =>
        callThrowing(context, actor, {
          what: 'reads a payload',
          apply: () => objects.get(name),
          faults: READ,
        }).catch(unavailable),
    },
    Infinity,
  )
  return {
    ...payloads,
    put: (key, text) =>
      callThrowing(context, actor, {
        what: 'writes a result',
        apply: () => void objects.set(key, text),
        faults: SENT,
      }),
    get: (key) =>
      callThrowing(context, actor, {
        what: 'reads a result',
        apply: () => objects.get(key),
        faults: READ,
      }),
  }
}

function unavailable(error: unknown): never {
  throw new StoreUnavailableError(messageOf(error), { cause: error })
}
