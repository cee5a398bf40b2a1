import { snsWrapped } from 'lineclear/testing'
import { z } from 'zod'
import { type Deployment, type Script, SCENARIOS, UNREPEATED } from './play.ts'
import { audit, Bad, byTx, type Callback, Good, sales, type SalesOptions } from './sales.ts'
import type { World } from './world.ts'

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:callbacks'
const DAY = 86_400_000

/** How the provider's call comes, and what the consumer knows it by. */
export interface Path {
  readonly queue: string
  readonly wrapped: boolean
  readonly id: boolean
}

export const PATHS: Readonly<Record<string, Path>> = {
  'sent directly, with id(payload)': { queue: 'sales', wrapped: false, id: true },
  'sent directly': { queue: 'sales', wrapped: false, id: false },
  'by SNS, with id(payload)': { queue: 'sales', wrapped: true, id: true },
  'by SNS': { queue: 'sales', wrapped: true, id: false },
  'on a FIFO queue, with id(payload)': { queue: 'sales.fifo', wrapped: false, id: true },
  'on a FIFO queue': { queue: 'sales.fifo', wrapped: false, id: false },
}

/** What of the options a deployment changes; the path gives the others. */
type Change = Partial<Omit<SalesOptions, 'queue'>>
interface Row {
  readonly old: Change
  readonly deliveries?: number
  /** Between the old and the new one. */
  readonly bad?: Change
  readonly now: Change
  readonly pause?: number
  /** Its last code, or the bad one, knows the request by another name: see Not guaranteed in the README. */
  readonly renames?: boolean
  /** What is refused in the end is not run at all. */
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

export function scriptOf(row: Row, path: Path): Script {
  const { queue, wrapped } = path
  const isNamed = (change: Change): boolean => ('id' in change ? change.id !== undefined : path.id)
  return {
    scenarios: row.renames === true ? (path.queue.endsWith('.fifo') ? [] : UNREPEATED) : SCENARIOS,
    deploy: (world) => deploymentOf(world, row, path),
    request: (world, nth) => request(world, nth, { queue, wrapped }),
    judge: (world, { twist }) => {
      const again = twist === 'repeated' || twist === 'crossed'
      // Without an id of its own, and sent directly, a second call is another request.
      const anew = !wrapped && !isNamed(row.now)
      const expected = again && anew ? 2 : 1
      return audit(world, 't1', {
        expected,
        mayRefuse: row.renames === true || row.refused === true,
      })
    },
  }
}

function deploymentOf(
  world: World,
  { old, bad, now, deliveries, pause, renames }: Row,
  { queue, wrapped, id }: Path,
): Deployment {
  const common = { queue, id: id ? byTx : undefined, ...(wrapped ? { topics: [TOPIC] } : {}) }
  const last = { code: sales(world, { ...common, ...now }) }
  const first = {
    code: sales(world, { ...common, ...old }),
    ...(deliveries === undefined ? {} : { deliveries }),
  }
  const codes =
    bad === undefined ? [first, last] : [first, { code: sales(world, { ...common, ...bad }) }, last]
  return {
    codes,
    ...(pause === undefined ? {} : { pause }),
    ...(renames === undefined ? {} : { renames }),
  }
}

/** SNS tells what it has published again under its first id. */
function request(
  world: World,
  nth: number,
  { queue, wrapped }: Pick<Path, 'queue' | 'wrapped'>,
): void {
  const callback: Callback = { tx: 't1', ref: 'r1', nth: wrapped ? 0 : nth }
  const timestamp = world.born
  const body = wrapped
    ? snsWrapped(callback, {
        topicArn: TOPIC,
        messageId: '5f0d8e1c-0000-4000-8000-000000000001',
        timestamp,
      }).body
    : JSON.stringify(callback)
  world.send(queue, { body, attributes: {}, groupId: 'g', deduplicationId: `call-${nth}` })
}
