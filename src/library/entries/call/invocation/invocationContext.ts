import { toMilliseconds } from '../../../base/options.ts'
import type { ContextSource } from '../contextSource.ts'
import { awsMessenger } from '../../../adapters/send/awsMessenger.ts'
import { openCall, fencedCall } from './openCall.ts'
import type { InvocationHandlerOptions } from './options.ts'

/** @param sentAtOf when the call was made, epoch milliseconds; undefined: when its first attempt began */
export function invocationContext<Event, Result, Tx>(
  options: InvocationHandlerOptions<Event, Result, Tx>,
  sentAtOf: (event: unknown) => number | undefined,
): ContextSource {
  const { store, clients, delays, offload, sql, tracing } = options
  const messenger = awsMessenger({ ...clients, inMemory: store.inMemory })
  const timeoutMargin = toMilliseconds('timeoutMargin', options.timeoutMargin ?? '1s')
  const adapters = { delays, offload, sql, tracing }
  return {
    fencedCall,
    open: (call) =>
      openCall(call, { messenger, timeoutMargin, sentAt: sentAtOf(call.event), adapters }),
  }
}
