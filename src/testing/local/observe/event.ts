import type { CallDescription } from '../faults/items.ts'
import type { InjectedFault } from '../faults/faults.ts'
import type { Endpoints } from '../sdk/clients.ts'

/**
 * What happens in a local cloud, as it happens. `at` is epoch milliseconds. No event has a body, an attribute's value of a table's
 * item or a handler's answer; `error` and `log` are the words of the handler itself.
 */
export type LocalEvent =
  | InvocationBegun
  | CallEvent
  | InvocationEnded
  | QueueDepth
  | LogLine
  | FaultStruck
  | MappingChanged
  | CloudChanged

/** Takes live events. It is called at once, while the cloud works: what it throws is logged once and changes nothing. */
export type Observer = (event: LocalEvent) => void

/** The invocation that an event belongs to. */
export interface OfInvocation {
  readonly queue: string
  readonly function: string
  /** Counts from 1 in each mapping, so it begins again when the handlers are loaded again. */
  readonly invocation: number
  /** Unique. */
  readonly awsRequestId: string
}

/** A message as an invocation got it. */
export interface ObservedMessage {
  readonly messageId: string
  /** As its sender stamped it. Absent when the id is read from the payload, or is the message id. */
  readonly uniqueRequestId?: string
  /** How often SQS has delivered it, with this delivery. */
  readonly receiveCount: number
  readonly group?: string
}

/** A handler was invoked. */
export interface InvocationBegun extends OfInvocation {
  readonly type: 'begun'
  readonly at: number
  readonly messages: readonly ObservedMessage[]
}

/**
 * One attempt of an SDK call has ended; the SDK makes several attempts of a call. `at` is its end.
 * - `ended`: the handler got the answer
 * - `failed`: the handler, or the SDK that tries again, got an error
 * - `never`: the invocation died first
 */
export interface CallEvent extends OfInvocation, CallDescription {
  readonly type: 'call'
  readonly at: number
  /** When the attempt began, epoch milliseconds. */
  readonly began: number
  /** Counts from 1 in each invocation: where a fault can be injected. */
  readonly call: number
  /** Counts from 1 in each call. 0: the call was refused before its first attempt. */
  readonly attempt: number
  /** @example 'UpdateItem' */
  readonly action: string
  readonly outcome: 'ended' | 'failed' | 'never'
  /** The name of the error. @example 'ConditionalCheckFailedException' */
  readonly error?: string
  /** The fault that struck this attempt. */
  readonly fault?: InjectedFault
}

/** An invocation has ended, and what succeeded is deleted. */
export interface InvocationEnded extends OfInvocation {
  readonly type: 'ended'
  readonly at: number
  readonly outcome: 'answered' | 'failed' | 'timedOut' | 'killed'
  /** The ids of the messages that stay on the queue. */
  readonly failures: readonly string[]
  /** What the handler threw, when `outcome` is `failed`: at most 300 characters. */
  readonly error?: string
}

/** How many messages a queue holds. Published only when it has changed. */
export interface QueueDepth {
  readonly type: 'depth'
  readonly at: number
  readonly queue: string
  readonly ready: number
  readonly inFlight: number
  readonly delayed: number
}

/** A line that a handler, or the mapping, has logged. Metrics in CloudWatch's embedded format are left out. */
export interface LogLine extends Partial<OfInvocation> {
  readonly type: 'log'
  readonly at: number
  /** In capitals; 'INFO' for a line that is no JSON, and 'ERROR' when it was written to standard error. */
  readonly level: string
  readonly message: string
  /** The other fields of a JSON line. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** A fault of a delivery or of a whole invocation, beside those of single calls. */
export type InvocationFault =
  | 'duplicate'
  | 'duplicateLater'
  | 'freeze'
  | 'killBeforeDelete'
  | 'sandboxDeath'

/** A fault was injected. */
export interface FaultStruck extends OfInvocation {
  readonly type: 'fault'
  readonly at: number
  readonly fault: InjectedFault | InvocationFault
  /** The number of the call that was struck, and the SDK's attempt at it. */
  readonly call?: number
  readonly attempt?: number
  /** The message that is delivered twice. */
  readonly messageId?: string
}

/** An event source mapping was started, paused, resumed or stopped. */
export interface MappingChanged {
  readonly type: 'mapping'
  readonly at: number
  readonly state: 'started' | 'paused' | 'resumed' | 'stopped'
  readonly queue: string
  readonly function: string
}

/** The cloud was started or stopped. */
export interface CloudChanged {
  readonly type: 'cloud'
  readonly at: number
  readonly state: 'started' | 'stopped'
  readonly endpoints: Endpoints
  readonly cloud: CloudShape
}

/** What a cloud consists of, by name. */
export interface CloudShape {
  readonly queues: Readonly<
    Record<string, { readonly deadLetter?: string; readonly maxReceiveCount?: number }>
  >
  readonly topics: Readonly<Record<string, { readonly queues: readonly string[] }>>
  readonly tables: readonly string[]
}
