import { z } from 'zod'
import { Bad, byTx, type Callback, Good, type SalesOptions } from './sales.ts'

const DAY = 86_400_000

/** Options that a deployment changes; the script gives the others. */
export type Change = Partial<Omit<SalesOptions, 'queue'>>
export interface Row {
  readonly old: Change
  readonly deliveries?: number
  /** Between the old and the new one. */
  readonly bad?: Change
  readonly now: Change
  readonly pause?: number
  /** Its last code, or the bad one, knows the request by another name: see "What is not guaranteed" in src/README.md. */
  readonly renames?: boolean
  /** What is refused at the end is not run at all. */
  readonly refused?: boolean
}

const byRef = ({ ref }: Callback): string => ref
const byShouted = ({ tx }: Callback): string => `${tx}!`
const Upper = z
  .object({ tx: z.string(), ref: z.string(), nth: z.number() })
  .transform((given) => ({ ...given, ref: given.ref.toUpperCase() }))

export const ROWS: Readonly<Record<string, Row>> = {
  'its schema is fixed after refusals': { old: { schema: Bad }, now: {} },
  'its handler is fixed after six attempts': { old: { ends: 'fails' }, now: {} },
  'its handler is fixed after a TerminalError': { old: { ends: 'dies' }, now: {} },
  'a bad schema is rolled back, in the middle of retries': {
    old: { ends: 'once' },
    deliveries: 1,
    bad: { schema: Bad },
    now: {},
  },
  'a bad handler is rolled back, in the middle of retries': {
    old: { ends: 'once' },
    deliveries: 1,
    bad: { ends: 'dies' },
    now: {},
  },
  'a bad id(payload) is rolled back, in the middle of retries': {
    renames: true,
    old: { ends: 'once' },
    deliveries: 1,
    bad: { id: byShouted },
    now: {},
  },
  'a sandbox dies, and a bad schema is rolled back': {
    old: { ends: 'killed' },
    deliveries: 1,
    bad: { schema: Bad },
    now: {},
  },
  'it is renamed, with its former name': {
    old: { ends: 'dies' },
    now: { name: 'mail', formerNames: ['sales'] },
  },
  'it is renamed while a retry is under way': {
    old: { ends: 'once' },
    deliveries: 1,
    now: { name: 'mail', formerNames: ['sales'] },
  },
  'it is renamed without its former name': {
    old: { ends: 'dies' },
    now: { name: 'mail' },
    renames: true,
  },
  'it is renamed without its former name, and then with it': {
    renames: true,
    old: { ends: 'once' },
    deliveries: 1,
    bad: { name: 'mail' },
    now: { name: 'mail', formerNames: ['sales'] },
  },
  'it is renamed after refusals of its schema': {
    old: { schema: Bad },
    now: { name: 'mail', formerNames: ['sales'] },
  },
  'it is renamed twice': {
    old: { ends: 'once' },
    deliveries: 1,
    bad: { name: 'post', formerNames: ['sales'], ends: 'dies' },
    now: { name: 'mail', formerNames: ['sales', 'post'] },
  },
  'its retention is shortened': {
    old: { ends: 'dies' },
    now: { retention: '1d' },
    pause: DAY / 2,
  },
  'its retention is shortened below the age of the dead letter': {
    refused: true,
    old: { ends: 'dies' },
    now: { retention: '1d' },
    pause: 2 * DAY,
  },
  'its retention is lengthened': { old: { ends: 'dies', retention: '2d' }, now: {}, pause: DAY },
  'its maxAge is shortened': {
    old: { ends: 'dies' },
    now: { retry: { maxAge: '1m' } },
    pause: DAY,
  },
  'its timeout is shortened, and a sandbox has died': {
    old: { ends: 'killed', left: 900_000 },
    deliveries: 1,
    now: { left: 3_000 },
  },
  'its timeout is lengthened, and a sandbox has died': {
    old: { ends: 'killed', left: 3_000 },
    deliveries: 1,
    now: { left: 900_000 },
  },
  'maxAttempts is lowered in the middle of retries': {
    old: { ends: 'fails' },
    deliveries: 3,
    now: { retry: { maxAttempts: 1 } },
  },
  'maxAttempts is lowered after its death': {
    old: { ends: 'fails' },
    now: { retry: { maxAttempts: 1 } },
  },
  'maxAttempts is raised': { old: { ends: 'fails', retry: { maxAttempts: 1 } }, now: {} },
  'copies are wrapped from now on': {
    old: { ends: 'once' },
    deliveries: 1,
    bad: { ends: 'dies', retry: { form: 'wrapped' } },
    now: { retry: { form: 'wrapped' } },
  },
  'copies are no longer wrapped': { old: { ends: 'dies', retry: { form: 'wrapped' } }, now: {} },
  'retries go by visibility from now on': {
    old: { ends: 'once' },
    deliveries: 1,
    bad: { ends: 'dies' },
    now: { retry: { transport: 'visibility' } },
  },
  'its schema transforms what the id does not use': {
    old: { ends: 'dies' },
    now: { schema: Upper },
  },
  'its topics are named after refusals': { old: { schema: Good, topics: [] }, now: {} },
  'id(payload) is added': {
    old: { ends: 'dies', id: undefined },
    now: { id: byTx },
    renames: true,
  },
  'id(payload) is added in the middle of retries': {
    old: { ends: 'once', id: undefined },
    deliveries: 1,
    now: { id: byTx },
    renames: true,
  },
  'id(payload) is added after refusals of the schema': {
    old: { schema: Bad, id: undefined },
    now: { id: byTx },
  },
  'id(payload) is taken away': {
    old: { ends: 'dies', id: byTx },
    now: { id: undefined },
    renames: true,
  },
  'id(payload) is taken away in the middle of retries': {
    old: { ends: 'once', id: byTx },
    deliveries: 1,
    now: { id: undefined },
    renames: true,
  },
  'id(payload) takes another field': {
    old: { ends: 'dies', id: byTx },
    now: { id: byRef },
    renames: true,
  },
  'id(payload) takes another field in the middle of retries': {
    old: { ends: 'once', id: byTx },
    deliveries: 1,
    now: { id: byRef },
    renames: true,
  },
  'id(payload) takes another field after refusals of the schema': {
    old: { schema: Bad, id: byTx },
    now: { id: byRef },
  },
  'its schema transforms what the id uses': {
    old: { ends: 'dies', id: byRef },
    now: { schema: Upper, id: byRef },
    renames: true,
  },
}
