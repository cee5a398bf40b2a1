/** What can go wrong with one call to a service. */
export type CrashCallFault =
  /** The request never arrives, and the SDK gives up. */
  | 'request lost'
  /** The request takes effect, no answer arrives, and the SDK gives up. */
  | 'answer lost'
  /** The request takes effect, its answer is lost and the SDK retries: it arrives twice, with the same request token. */
  | 'repeated'
  /** The service refuses the request for load: it has no effect, and the caller knows that. */
  | 'throttled'
  /** One of the user's tables refuses everything for hours, while Lineclear's own table answers. */
  | 'table throttled'
  /** The write meets a transaction on the same item and is cancelled. The SDK does not retry that. */
  | 'conflict'
  /** An eventually consistent read shows the item as it was before its last change. */
  | 'stale'
  /** An eventually consistent read shows the item as it was a second ago. */
  | 'a second behind'
  /** The sandbox dies before the request leaves. */
  | 'killed before'
  /** The sandbox dies and the request still arrives: at once, or at any later moment. */
  | 'killed on the wire'
  /** From now on every invocation that makes this call dies in it, as with a payload that exhausts the memory. */
  | 'killed each time'

/** What can go wrong in a schedule. */
export type CrashFault =
  | CrashCallFault
  /** The time passes the end of every lease while the holders still run. */
  | 'clock jumps'
  /** The clock of the invocation's machine is an hour fast. */
  | 'clock an hour ahead'
  /** The clock of the invocation's machine is an hour slow. */
  | 'clock an hour behind'
  /** The invocation is about to reach its timeout. */
  | 'time is up'
  /** An outside system sends its answer twice, as two messages. */
  | 'answered twice'

/**
 * The faults of an exploration by default. Left out: `killed before`, because it leads to the same states as `killed on the
 * wire` one call earlier; `killed each time`, because only a consumer that gives up in the end comes to rest after it;
 * `table throttled`, because the messages of a batch are then redelivered for hours, in every order.
 */
export const USUAL_FAULTS: readonly CrashFault[] = [
  'request lost',
  'answer lost',
  'repeated',
  'throttled',
  'conflict',
  'stale',
  'a second behind',
  'killed on the wire',
  'clock jumps',
  'clock an hour ahead',
  'clock an hour behind',
  'time is up',
  'answered twice',
]

export const LOST: readonly CrashCallFault[] = ['request lost', 'answer lost']
export const KILLED: readonly CrashCallFault[] = ['killed before', 'killed on the wire']
/** Faults that can strike the sending of a message or a payload. */
export const SENT: readonly CrashCallFault[] = [...LOST, 'repeated', ...KILLED]
export const READ: readonly CrashCallFault[] = ['request lost', 'killed before']
