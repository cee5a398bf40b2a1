import { checkFaults, type Faults } from '../../../testing/local/faults/faults.ts'
import { messageOf } from '../../../base/errors.ts'
import { isObject } from '../../../base/kindOf.ts'
import { oneOf, readFields, textIn, wholeIn } from './readBody.ts'
import { RequestError } from '../reply.ts'
import type { FaultBody, KillNext } from './types.ts'

/** @throws RequestError 400 */
export function readFault(body: unknown): FaultBody {
  const given = readFields(body, ['consumer', 'faults', 'killNext', 'outside', 'state', 'slowMs'])
  if (given.outside !== undefined) {
    const state = oneOf('state', given.state, ['up', 'down', 'slow', 'answerLost'])
    const slow =
      given.slowMs === undefined ? {} : { slowMs: wholeIn('slowMs', given.slowMs, 0, 60_000) }
    return { outside: textIn('outside', given.outside), state, ...slow }
  }
  const consumer = textIn('consumer', given.consumer)
  if (given.faults !== undefined) return { consumer, faults: faultsIn(given.faults) }
  if (given.killNext === undefined) {
    throw new RequestError(
      400,
      'expected faults or killNext beside consumer, or outside with state',
    )
  }
  return { consumer, killNext: given.killNext === null ? null : killIn(given.killNext) }
}

function faultsIn(value: unknown): Faults {
  if (!isObject(value)) throw new RequestError(400, 'faults: expected an object')
  try {
    checkFaults(value)
    return value
  } catch (error) {
    throw new RequestError(400, messageOf(error))
  }
}

function killIn(value: unknown): KillNext {
  const { action, effect, request, nth, when } = readFields(value, [
    'action',
    'effect',
    'request',
    'nth',
    'when',
  ])
  return {
    ...(action !== undefined && { action: textIn('killNext.action', action) }),
    ...(effect !== undefined && { effect: textIn('killNext.effect', effect) }),
    ...(request !== undefined && { request: textIn('killNext.request', request) }),
    ...(nth !== undefined && { nth: wholeIn('killNext.nth', nth, 1, 10_000) }),
    ...(when !== undefined && { when: oneOf('killNext.when', when, ['before', 'after']) }),
  }
}
