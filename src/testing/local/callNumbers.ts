import type { Invocation } from './invocation.ts'
import { actionOf, type CallContext } from './middleware.ts'

const numbers = new WeakMap<CallContext, number>()

/** The number of a call in its invocation, counted from 1 in the order in which calls begin. */
export function numberOfCall(invocation: Invocation, context: CallContext): number {
  const known = numbers.get(context)
  if (known !== undefined) return known
  const number = invocation.calls.push(actionOf(context))
  numbers.set(context, number)
  return number
}
