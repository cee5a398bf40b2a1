import type { Waiter } from '../../../../src/library/protocol/claim/awaiting/waitingRuns.ts'
import type { Item } from '../../../../src/library/protocol/store/store.ts'
import type { Facts } from './facts.ts'
import type { Op } from './op.ts'
import type { Pc } from './pc.ts'

/** On a queue. `left`: deliveries that may still begin work. */
export interface Message {
  readonly id: string
  readonly kind: 'stage' | 'complete' | 'timeout'
  readonly uid: string
  readonly stage: string
  readonly epoch: number
  /** The stage that sent it; '' for none. */
  readonly after: string
  readonly resendNumber: number
  readonly death: number | undefined
  /** For a Complete: the step it answers, and the answer. */
  readonly externalId: string
  readonly answer: string
  readonly left: number
  /** The invocation that has it, or none. */
  readonly holder: string
}

/** A dead letter. */
export interface DeadLetter {
  readonly uid: string
  readonly stage: string
  readonly epoch: number
  readonly after: string
  readonly death: number
}

/** The run that an invocation works for: a Complete may wake several, one after the other. */
export interface Job {
  readonly uid: string
  readonly stage: string
  readonly epoch: number
  readonly after: string
  readonly resendNumber: number
  readonly death: number | undefined
}

export type Said = Pick<Message, 'kind' | 'externalId' | 'answer'>

export interface Worker {
  /** Also its attempt id. */
  readonly id: string
  /** Undefined: a sweeper or an operator. */
  readonly message: string | undefined
  /** The fields of its message, also after the message is gone. */
  readonly said: Said | undefined
  readonly job: Job
  readonly leaseUntil: number
  readonly pc: Pc
  /** Its last write took place, the answer was lost, and the SDK sends it again. */
  readonly again: boolean
  readonly rest: readonly Waiter[]
  /** One of its runs has to wait, so the message stays. */
  readonly stays: boolean
}

/** A write whose sender is dead: it takes place at any time from now on. */
export interface Late {
  readonly by: Worker
  readonly op: Op
}

export interface State {
  readonly items: ReadonlyMap<string, Item>
  /** The items before the last write: an eventually consistent read may show them. */
  readonly past: ReadonlyMap<string, Item | undefined>
  readonly queue: readonly Message[]
  readonly deadLetters: readonly DeadLetter[]
  readonly workers: readonly Worker[]
  readonly late: readonly Late[]
  /** Questions to external systems, one for each run that asks, and how often each was answered. */
  readonly asked: ReadonlyMap<string, number>
  readonly facts: Facts
  readonly clock: number
  /** How often the give-up time of whatever ran may still pass. */
  readonly ages: number
  readonly faults: number
  readonly errors: number
  readonly resets: number
  readonly drops: number
  readonly timeouts: number
  readonly redrives: number
  readonly restores: number
  readonly forges: number
  readonly copies: number
  /** Only grows: gives new names. */
  readonly serial: number
}

/** Stands for any sender to a queue, and is no stage. */
export const FORGER = 'nowhere'

export function questionOf(externalId: string, uid: string): string {
  return `${externalId} ${uid}`
}

export function idIn(question: string): string {
  return question.slice(0, question.indexOf(' '))
}

export function addressOf(key: { readonly pk: string; readonly sk: string }): string {
  return `${key.pk}|${key.sk}`
}
