import { messageOf, StoreUnavailableError } from '../../../base/errors.ts'
import { openPayloads } from '../../../features/payloads/openPayloads.ts'
import type { LargePayloads } from '../../../record/envelope/envelope.ts'
import { callThrowing } from '../simulation/callThrowing.ts'
import type { CrashCallFault } from '../simulation/crashFaults.ts'
import type { ScheduleContext } from '../simulation/scheduleContext.ts'
import type { Actor } from '../simulation/simulation.ts'

const PUT: readonly CrashCallFault[] = [
  'request lost',
  'answer lost',
  'repeated',
  'killed before',
  'killed on the wire',
]
const GET: readonly CrashCallFault[] = ['request lost', 'killed before']

/** Where large payloads are kept, as one invocation sees it. */
export function payloadsOf(context: ScheduleContext, actor: Actor): LargePayloads {
  const { objects } = context
  return openPayloads(
    {
      placeOf: (name) => `memory://${name}`,
      put: (name, text) =>
        callThrowing(context, actor, {
          what: 'writes a payload',
          apply: () => void objects.set(name, text),
          faults: PUT,
        }).catch(unavailable),
      get: (name) =>
        callThrowing(context, actor, {
          what: 'reads a payload',
          apply: () => objects.get(name),
          faults: GET,
        }).catch(unavailable),
    },
    Infinity,
  )
}

function unavailable(error: unknown): never {
  throw new StoreUnavailableError(messageOf(error), { cause: error })
}
