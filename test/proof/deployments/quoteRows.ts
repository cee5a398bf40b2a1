import type { Ending } from './sales.ts'

/** What of the definition, of the stage that asks, or of the step that is answered, a deployment changes. */
export interface Change {
  readonly step?: {
    readonly name?: string
    readonly formerNames?: readonly string[]
    readonly ends?: Ending
    readonly refuses?: true
    readonly timeout?: '1m' | '1h'
  }
  readonly ask?: { readonly ends?: Ending; readonly need?: 'all' | 'any' }
}

export interface Row {
  readonly old: Change
  readonly deliveries?: number
  readonly bad?: Change
  readonly now: Change
  /** Of the two answers; the others never come. */
  readonly answers: 0 | 1 | 2
  readonly refused?: true
  readonly holds?: true
}

const dies = { ends: 'dies' } as const
const once = { ends: 'once' } as const
const refuses = { refuses: true } as const
const offer = { name: 'offer', formerNames: ['quote'] } as const
const any = { need: 'any' } as const

/** With `deliveries: 1` the stage has asked, and nothing was answered yet; with 2 the first answer was taken. */
export const ROWS: Readonly<Record<string, Row>> = {
  'its step is renamed, with its former name': {
    old: {},
    deliveries: 1,
    now: { step: offer },
    answers: 2,
  },
  'its step is renamed between the answers of a join': {
    old: {},
    deliveries: 2,
    now: { step: offer },
    answers: 2,
  },
  'its step is renamed after a dead letter': {
    old: { step: dies },
    now: { step: offer },
    answers: 2,
  },
  'its step is renamed before its timeout': {
    old: { step: { timeout: '1m' } },
    deliveries: 1,
    now: { step: { ...offer, timeout: '1m' } },
    answers: 0,
  },
  'its step is renamed without its former name, and then with it': {
    old: {},
    deliveries: 1,
    bad: { step: { name: 'offer' } },
    now: { step: offer },
    answers: 2,
  },
  'its step is renamed without its former name': {
    old: {},
    deliveries: 1,
    now: { step: { name: 'offer' } },
    answers: 2,
    refused: true,
    holds: true,
  },
  'its step is renamed without its former name before its timeout': {
    old: { step: { timeout: '1m' } },
    deliveries: 1,
    now: { step: { name: 'offer', timeout: '1m' } },
    answers: 0,
    refused: true,
  },
  'the schema of an answer is fixed after refusals': {
    old: { step: refuses },
    now: {},
    answers: 2,
  },
  'the schema of an answer is fixed after its timeout has died': {
    old: { step: { ...dies, timeout: '1m' } },
    now: { step: { timeout: '1m' } },
    answers: 0,
  },
  'a bad schema is rolled back between the answers of a join': {
    old: {},
    deliveries: 2,
    bad: { step: refuses },
    now: {},
    answers: 2,
  },
  'the handler of its step is fixed in the middle of retries': {
    old: { step: once },
    deliveries: 3,
    now: {},
    answers: 2,
  },
  'its timeout is shortened while it waits': {
    old: { step: { timeout: '1h' } },
    deliveries: 1,
    now: { step: { timeout: '1m' } },
    answers: 0,
  },
  'its timeout is lengthened after a dead letter of the stage that asks': {
    old: { ask: dies, step: { timeout: '1m' } },
    now: { step: { timeout: '1h' } },
    answers: 0,
  },
  'it needs one answer in place of all, in the middle of retries': {
    old: { ask: once },
    deliveries: 1,
    now: { ask: any },
    answers: 2,
  },
  'it needs all answers in place of one, in the middle of retries': {
    old: { ask: { ...once, ...any } },
    deliveries: 1,
    now: {},
    answers: 2,
  },
  'it needs one answer in place of all, after a dead letter of the stage that asks': {
    old: { ask: dies },
    now: { ask: any },
    answers: 2,
  },
  'it needs all answers in place of one, after a dead letter of the stage that asks': {
    old: { ask: { ...dies, ...any } },
    now: {},
    answers: 2,
  },
}
