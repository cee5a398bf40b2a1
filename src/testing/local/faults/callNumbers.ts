import type { LocalInvocation } from './invocation.ts'
import { actionOf, type SdkCallContext } from '../sdk/sdkMiddleware.ts'

const numbers = new WeakMap<SdkCallContext, number>()

/** The number of a call in its invocation, counted from 1 in the order in which calls begin. */
export function numberOfCall(invocation: LocalInvocation, context: SdkCallContext): number {
  const known = numbers.get(context)
  if (known !== undefined) return known
  const number = invocation.calls.push(actionOf(context))
  numbers.set(context, number)
  return number
}
