import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/tools/cli/commands.ts'
import { hand, receive, send } from '../../flow/flowHarness.ts'
import {
  consumerOn,
  type OperatorHarness,
  operatorHarness,
  startCloud,
} from '../cli/operatorHarness.ts'
import { consoleHere } from './consoleHere.ts'
import { sameAnswer } from './sameAnswer.ts'

/** Each route with parameters, and the command that gives the same. ID: a request that is parked. PLAN: a plan for its dead letter. TABLE: its name. */
const PAIRS: readonly (readonly [route: string, ...args: readonly string[]])[] = [
  ['overview', 'status'],
  ['overview?noQueues=1', 'status', '--no-queues'],
  ['overview?queues=dea', 'status', '--queues', 'dea'],
  ['tasks', 'ls'],
  ['tasks?most=1', 'ls', '--most', '1'],
  [
    'tasks?consumer=orders&status=unknown&status=error',
    'ls',
    '--consumer',
    'orders',
    '--status',
    'unknown,error',
  ],
  [
    'tasks?flow=nothing&due=1&older=1h&stage=x',
    'ls',
    '--flow',
    'nothing',
    '--due',
    '--older',
    '1h',
    '--stage',
    'x',
  ],
  ['request?id=ID', 'explain', 'ID'],
  ['request?id=nothing/there', 'explain', 'nothing/there'],
  ['request?id=nothing&scan=1', 'explain', 'nothing', '--scan'],
  ['request?name=refunds&key=order-5', 'explain', '--name', 'refunds', '--key', 'order-5'],
  ['request?id=bare', 'explain', 'bare'],
  ['groups?counts=1', 'dlq', 'groups', '--counts'],
  ['groups', 'dlq', 'groups'],
  ['groups?queue=dead&reason=unknown', 'dlq', 'groups', 'dead', '--reason', 'unknown'],
  ['groups?queue=book&per=tenant', 'dlq', 'groups', 'book', '--per', 'tenant', '--force'],
  ['letters?queue=dead&most=5', 'dlq', 'peek', 'dead', '--most', '5'],
  ['letters?queue=nowhere', 'dlq', 'peek', 'nowhere'],
  ['overview?plan=PLAN', 'status', '--plan', 'PLAN'],
  ['overview?plan=00000000', 'status', '--plan', '00000000'],
  ['pauses', 'pause'],
  // Its lines name the table if the command did, as that of the console has.
  [
    'overview?handover=1&since=1h&noQueues=1',
    'status',
    '--handover',
    '--since',
    '1h',
    '--no-queues',
    '--table',
    'TABLE',
  ],
  ['request?history=1', 'explain', '--history'],
  [
    'request?history=1&since=1h&who=ann&id=x&action=decide',
    'explain',
    '--history',
    '--since',
    '1h',
    '--who',
    'ann',
    'x',
    '--action',
    'decide',
  ],
  ['doctor', 'doctor'],
]

let cloud: LocalCloud
let office: OperatorHarness
let console: Awaited<ReturnType<typeof consoleHere>>
let names: Readonly<Record<string, string>>
beforeAll(async () => {
  cloud = await startCloud()
  office = await operatorHarness(cloud)
  const handler = consumerOn(office, async (_payload, ctx) => {
    await ctx.call('charge', hangUp, { ifUnknown: 'stop' })
  })
  await send(cloud, 'book', { n: 1 })
  await send(cloud, 'book', { n: 2 })
  const records = await receive(cloud, 'book')
  await hand(cloud, 'book', records, handler)
  const planned = await office.cli('dlq', 'discard', 'dead', '--json')
  const { plan } = JSON.parse(planned.out) as { readonly plan: string }
  names = { ID: `orders/${records[0]?.messageId}`, PLAN: plan, TABLE: office.tableName }
  console = await consoleHere(office, cloud)
})
afterAll(async () => {
  await console.stop()
  await cloud.stop()
})

const hangUp = async (): Promise<never> => {
  throw new Error('socket hang up')
}

function named(text: string): string {
  return text.replaceAll(/ID|PLAN|TABLE/g, (name) => names[name] ?? name)
}

describe('a route answers as its command does with --json', () => {
  it.each(PAIRS)('%s', async (route, ...args) => {
    const { code, out } = await office.cli('--json', ...args.map(named))
    const { json, status } = await console.get(named(route))
    expect(sameAnswer(json)).toEqual(sameAnswer(JSON.parse(out)))
    expect(json['exit']).toBe(code)
    expect(status).toBe({ 2: 400, 3: 502 }[code as number] ?? 200)
  })

  it('and each of them is among these', () => {
    const tried = new Set(PAIRS.map(([route]) => route.replace(/\?.*/, '')))
    expect([...tried].toSorted()).toEqual(COMMANDS.flatMap(({ route }) => route ?? []).toSorted())
  })

  it('with its line, which a person can type, and what it has cost', async () => {
    const { json } = await console.get('tasks?consumer=orders')
    expect(json).toMatchObject({
      line: `lineclear ls --consumer=orders --table ${office.tableName}`,
      cost: { queries: expect.any(Number), units: expect.any(Number), receives: 0 },
    })
    const { queries, units } = json['cost'] as Readonly<Record<string, number>>
    expect(queries).toBeGreaterThan(0)
    expect(units).toBeGreaterThan(0)
    const letters = await console.get('letters?queue=dead')
    expect(letters.json['cost']).toMatchObject({ receives: expect.any(Number) })
    expect((letters.json['cost'] as { receives: number }).receives).toBeGreaterThan(0)
  })

  it('and pages on behind its last item', async () => {
    const first = await console.get('tasks?most=1')
    const second = await console.get(`tasks?most=1&after=${String(first.json['next'])}`)
    const idsOf = ({ json }: typeof first): readonly unknown[] =>
      (json['tasks'] as readonly { readonly id: unknown }[]).map(({ id }) => id)
    const ids = [...idsOf(first), ...idsOf(second)]
    expect(new Set(ids).size).toBe(2)
    expect(second.json['next']).toBeNull()
  })
})

describe('a body', () => {
  it('is shown only when it is asked for, by the id of its dead letter', async () => {
    const { json } = await console.get('letters?queue=dead')
    const letters = json['letters'] as readonly { readonly messageId: string }[]
    expect(letters.filter((letter) => 'body' in letter)).toEqual([])
    expect((await console.get('letters?queue=dead&body=1')).status).toBe(400)
    const one = await console.get(`letters?queue=dead&body=1&id=${letters[0]?.messageId}`)
    expect(one.json['letters']).toMatchObject([{ body: expect.stringContaining('"n"') }])
  })

  it('has what --redact masks neither there nor in the plan of an edit', async () => {
    const redacting = await consoleHere(office, cloud, '--redact', 'n', '--allow-changes')
    const { json } = await redacting.get('letters?queue=dead')
    const [{ messageId } = { messageId: '' }] = json['letters'] as readonly { messageId: string }[]
    const one = await redacting.get(`letters?queue=dead&body=1&id=${messageId}`)
    expect(one.json['letters']).toMatchObject([{ body: '{"n":"[masked]"}' }])
    const response = await fetch(`${redacting.origin}/api/plan`, {
      method: 'POST',
      headers: { 'x-lineclear-token': redacting.token, 'content-type': 'application/json' },
      body: JSON.stringify({
        action: 'dlq.edit',
        given: { queue: 'dead', id: messageId, set: { n: 5 } },
      }),
    })
    expect(await response.json()).toMatchObject({ after: ['n: [masked]'] })
    await redacting.stop()
  })

  it('has no groups by an attribute that --redact masks: their names are its values', async () => {
    const redacting = await consoleHere(office, cloud, '--redact', '@customer')
    expect((await redacting.get('groups?queue=dead&per=customer')).status).toBe(403)
    expect((await redacting.get('groups?queue=dead&per=tenant')).status).toBe(200)
    await redacting.stop()
  })
})

it('whose prefix is given with --queues is looked at by default, and another one if a page names it', async () => {
  const narrow = await consoleHere(office, cloud, '--queues', 'nothing')
  expect((await narrow.get('groups')).json).toMatchObject({ queues: [], groups: [] })
  expect((await narrow.get('groups?queues=boo')).json).toMatchObject({ looked: 2 })
  expect((await narrow.get('groups?queue=dead')).json).toMatchObject({ looked: 2 })
  await narrow.stop()
})
