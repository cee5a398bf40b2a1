import type { FlowOptions } from 'lineclear'
import type { NoAnswers, StagesOptions } from '../../../src/flow/options.ts'
import type { Ending } from './sales.ts'

const DAY = 86_400_000

export interface Trip {
  readonly tx: string
  readonly key: string
  readonly at: number
}
export type Options = FlowOptions<StagesOptions, NoAnswers>

export type Role = 'book' | 'check' | 'pay'
interface Stage {
  readonly name?: string
  readonly formerNames?: readonly string[]
  readonly ends?: Ending
  readonly refuses?: true
  /** Its function does not even load: SQS moves what comes to it. */
  readonly broken?: true
}

/** Options of the definition that a deployment changes; the script gives the others. */
export interface Change {
  readonly stages?: readonly Role[]
  readonly book?: Stage
  readonly check?: Stage
  readonly pay?: Stage
  readonly flow?: Partial<Options>
  readonly left?: number
  /** Queues whose stage is gone: consumed by another one. */
  readonly instead?: Readonly<Partial<Record<Role, Role>>>
}

export interface Row {
  readonly old: Change
  readonly deliveries?: number
  readonly bad?: Change
  readonly now: Change
  /** Stages that are gone, and whose old function stays until its queue is empty. */
  readonly leftOver?: Change
  readonly pause?: number
  readonly renames?: boolean
  readonly refused?: boolean
  /** Its dead letters may speak for keys that are held until `giveUpAfter`. */
  readonly holds?: boolean
  /** After a redrive by SQS a request is recognised only by an id of its own: only those requests count. */
  readonly identified?: boolean
}

const dies = { ends: 'dies' } as const
const fails = { ends: 'fails' } as const
const once = { ends: 'once' } as const
const refuses = { refuses: true } as const
const broken = { broken: true } as const
const reserve = { name: 'reserve', formerNames: ['book'] } as const
const bill = { name: 'bill', formerNames: ['pay'] } as const
const newest = { process: 'newest', onConflict: 'defer' } as const
const every = { process: 'every', onConflict: 'defer' } as const
const refusedKey = { refused: true, holds: true } as const
const thrown = (): never => {
  throw new Error('bad')
}

export const ROWS: Readonly<Record<string, Row>> = {
  'the schema of its first stage is fixed after refusals': { old: { book: refuses }, now: {} },
  'the schema of a later stage is fixed after refusals': { old: { pay: refuses }, now: {} },
  'the handler of its first stage is fixed': { old: { book: fails }, now: {} },
  'the handler of a later stage is fixed': { old: { pay: fails }, now: {} },
  'its first stage is fixed after a TerminalError': { old: { book: dies }, now: {} },
  'a later stage is fixed after a TerminalError': { old: { pay: dies }, now: {} },
  'a bad schema of the first stage is rolled back': {
    old: { book: once },
    deliveries: 1,
    bad: { book: refuses },
    now: {},
  },
  'a bad schema of a later stage is rolled back': {
    old: { pay: once },
    deliveries: 2,
    bad: { pay: refuses },
    now: {},
  },
  'a bad handler of the first stage is rolled back': {
    old: { book: once },
    deliveries: 1,
    bad: { book: dies },
    now: {},
  },
  'a bad handler of a later stage is rolled back': {
    old: { pay: once },
    deliveries: 2,
    bad: { pay: dies },
    now: {},
  },
  'a bad key(payload) is rolled back': {
    old: { book: once },
    deliveries: 1,
    bad: { flow: { key: thrown } },
    now: {},
  },
  'a key(payload) that names another key is rolled back': {
    renames: true,
    old: { book: once },
    deliveries: 1,
    bad: { flow: { key: () => 'other' }, book: dies },
    now: {},
  },
  'a bad sentAt(payload) is rolled back': {
    old: { book: once },
    deliveries: 1,
    bad: { flow: { sentAt: thrown } },
    now: {},
  },
  'a sandbox dies in the first stage, and a bad schema is rolled back': {
    old: { book: { ends: 'killed' } },
    deliveries: 1,
    bad: { book: refuses },
    now: {},
  },
  'a sandbox dies in a later stage, and a bad schema is rolled back': {
    old: { pay: { ends: 'killed' } },
    deliveries: 2,
    bad: { pay: refuses },
    now: {},
  },
  'the function of a later stage did not load, and SQS has moved its messages': {
    old: { pay: broken },
    now: {},
  },
  'the function of its first stage does not load in the middle of retries': {
    old: { book: once },
    deliveries: 1,
    bad: { book: broken },
    now: {},
  },
  'the function of a later stage does not load in the middle of retries': {
    old: { pay: once },
    deliveries: 2,
    bad: { pay: broken },
    now: {},
  },
  'the function of its first stage does not load after a sandbox has died': {
    old: { book: { ends: 'killed' } },
    deliveries: 1,
    bad: { book: broken },
    now: {},
    identified: true,
  },
  'the function of a later stage does not load after a dead letter, and the stage is renamed': {
    old: { pay: dies },
    bad: { pay: broken },
    now: { pay: bill },
  },
  'a stage is added after the one that died': {
    old: { book: dies },
    now: { stages: ['book', 'check', 'pay'] },
  },
  'a stage is added before the one that died': {
    old: { pay: dies },
    now: { stages: ['book', 'check', 'pay'] },
  },
  'a stage is added at the end': { old: { pay: dies }, now: { stages: ['book', 'pay', 'check'] } },
  'a stage is added in the middle of retries': {
    old: { book: once },
    deliveries: 1,
    now: { stages: ['book', 'check', 'pay'] },
  },
  'its first stage is renamed, with its former name': {
    old: { book: dies },
    now: { book: reserve },
  },
  'a later stage is renamed, with its former name': { old: { pay: dies }, now: { pay: bill } },
  'its stages are renamed in the middle of retries of the first': {
    old: { book: once },
    deliveries: 1,
    now: { book: reserve, pay: bill },
  },
  'its stages are renamed in the middle of retries of a later one': {
    old: { pay: once },
    deliveries: 2,
    now: { book: reserve, pay: bill },
  },
  'its first stage is renamed after refusals': { old: { book: refuses }, now: { book: reserve } },
  'a later stage is renamed after refusals': { old: { pay: refuses }, now: { pay: bill } },
  'its first stage is renamed without its former name, and then with it': {
    old: { book: once },
    deliveries: 1,
    bad: { book: { name: 'reserve' } },
    now: { book: reserve },
  },
  'a later stage is renamed without its former name, and then with it': {
    old: { pay: once },
    deliveries: 2,
    bad: { pay: { name: 'bill' } },
    now: { pay: bill },
  },
  'its first stage is renamed without its former name': {
    old: { book: dies },
    now: { book: { name: 'reserve' } },
    refused: true,
  },
  'a later stage is renamed without its former name': {
    old: { pay: dies },
    now: { pay: { name: 'bill' } },
    refused: true,
  },
  'a stage is taken out, and its function stays until its queue is empty': {
    old: { stages: ['book', 'check', 'pay'], check: dies },
    now: {},
    leftOver: { stages: ['book', 'check', 'pay'] },
  },
  'a stage is taken out in the middle of its retries': {
    old: { stages: ['book', 'check', 'pay'], check: once },
    deliveries: 2,
    now: {},
    leftOver: { stages: ['book', 'check', 'pay'] },
  },
  'a stage is taken out, and another one takes its queue': {
    old: { stages: ['book', 'check', 'pay'], check: dies },
    now: { instead: { check: 'pay' } },
    refused: true,
  },
  'its retention is shortened': {
    old: { pay: dies },
    now: { flow: { retention: '2d' } },
    pause: DAY,
  },
  'its retention is shortened below the age of the dead letter': {
    old: { pay: dies },
    now: { flow: { retention: '2d' } },
    pause: 3 * DAY,
    refused: true,
  },
  'giveUpAfter is shortened': {
    old: { pay: dies },
    now: { flow: { giveUpAfter: '1m' } },
    pause: DAY,
  },
  'giveUpAfter is shortened in the middle of retries': {
    old: { pay: once },
    deliveries: 2,
    now: { flow: { giveUpAfter: '1m' } },
    pause: DAY / 24,
  },
  'its dead letter is older than giveUpAfter': { old: { book: dies }, now: {}, pause: 2 * DAY },
  'its timeout is shortened, and a sandbox has died': {
    old: { pay: { ends: 'killed' }, left: 900_000 },
    deliveries: 2,
    now: { left: 3_000 },
  },
  'its timeout is lengthened, and a sandbox has died': {
    old: { book: { ends: 'killed' }, left: 3_000 },
    deliveries: 1,
    now: { left: 900_000 },
  },
  'maxAttempts is lowered in the middle of retries': {
    old: { pay: fails },
    deliveries: 4,
    now: { flow: { retry: { maxAttempts: 1 } } },
  },
  'maxAttempts is raised': { old: { pay: fails, flow: { retry: { maxAttempts: 1 } } }, now: {} },
  'order becomes every': { old: { pay: dies, flow: newest }, now: { flow: every }, ...refusedKey },
  'order becomes newest': { old: { pay: dies, flow: every }, now: { flow: newest }, ...refusedKey },
  'order becomes every, and is set back': {
    old: { pay: once, flow: newest },
    deliveries: 2,
    bad: { flow: every },
    now: { flow: newest },
  },
  'order becomes newest, and is set back': {
    old: { pay: once, flow: every },
    deliveries: 2,
    bad: { flow: newest },
    now: { flow: every },
  },
  'order becomes every in the middle of retries of its first stage, and is set back': {
    old: { book: once, flow: newest },
    deliveries: 1,
    bad: { flow: every },
    now: { flow: newest },
  },
  'order becomes newest after a dead letter, and is set back': {
    old: { book: dies, flow: every },
    bad: { flow: newest },
    now: { flow: every },
  },
  'its key(payload) changes': {
    old: { pay: dies },
    now: { flow: { key: ({ key }: Trip) => `${key}!` } },
    renames: true,
  },
  'its key(payload) changes in the middle of retries': {
    old: { book: once },
    deliveries: 1,
    now: { flow: { key: ({ key }: Trip) => `${key}!` } },
    renames: true,
  },
  'its id(payload) changes': {
    old: { book: dies },
    now: { flow: { id: ({ tx }: Trip) => `${tx}!`, sentAt: ({ at }: Trip) => at } },
    renames: true,
  },
  'its id(payload) changes in the middle of retries': {
    old: { book: once },
    deliveries: 1,
    now: { flow: { id: ({ tx }: Trip) => `${tx}!`, sentAt: ({ at }: Trip) => at } },
    renames: true,
  },
  'the flow is renamed': { old: { book: dies }, now: { flow: { name: 'journey' } }, renames: true },
  'a bad id(payload) is rolled back': {
    old: { book: once },
    deliveries: 1,
    bad: { flow: { id: ({ tx }: Trip) => `${tx}!`, sentAt: ({ at }: Trip) => at } },
    now: {},
    renames: true,
  },
  'the flow is renamed in the middle of retries': {
    old: { pay: once },
    deliveries: 2,
    now: { flow: { name: 'journey' } },
    renames: true,
    holds: true,
  },
}
