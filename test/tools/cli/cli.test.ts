import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalCloud } from 'lineclear/local'
import type { Task } from '../../../src/tools/operator/item/task.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OperatorHarness, operatorHarness, startCloud } from './operatorHarness.ts'
import { run } from './runHere.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

describe('wrong arguments end with 2 and a hint, and reach no table', () => {
  it.for([
    [['bogus'], 'expected a command'],
    [['decid'], 'Did you mean decide?'],
    [['redrive'], 'expected ID, got nothing'],
    [['redrive', 'a/b', '--all'], "Unknown option '--all'"],
    [['peek'], 'Did you mean dlq peek?'],
    [['dlq', 'redirve', 'dead'], 'got "redirve". Did you mean dlq redrive?'],
    [['dlq', 'redrive', 'dead', '--older', '1h'], 'Did you mean --older-than?'],
    [
      ['decide', 'a/b', 'answer', '--step', 's', '--answer', '1', '--id', 'x'],
      'Did you mean --external-id?',
    ],
    [['ls', '--older', '-1h'], 'A value that begins with a dash: --older=-1h'],
    [['ls', '--nope'], "Unknown option '--nope'"],
    [['ls', 'extra'], 'expected no arguments'],
    [['ls', '--status', 'sleeping'], '--status: expected one or more of'],
    [['ls', '--older', 'soon'], '--older: expected a time'],
    [['ls', '--most', '0'], '--most: expected a whole number'],
    [['ls', '--table'], '--table: expected a value'],
    [['ls', '--table', '--local'], '--table: expected a value'],
    [['pause', '--queue', 'a', '--queue', 'b'], '--queue: expected one value, got several'],
    [['pause', '--queue', 'a', '--for', '0s'], '--for: expected a time to come'],
    [['ls', '--json=yes'], '--json: expected no value'],
    [['ls', '--table', '!'], 'tableName: expected'],
    [['ls', '--local'], '.lineclear/local.json'],
    [['explain', '--items'], 'expected ID'],
    [['explain', '--items', 'bare'], '--scan'],
    [['statu'], 'got "statu". Did you mean status?'],
    [['stats'], 'got "stats". Did you mean status?'],
    [['dlq', 'archive', '--help'], 'got "archive"'],
    [['decide', 'a/b', 'done', '--result', 'x'], 'expected JSON'],
    [['decide', 'a/b', 'done', '--result', '1', '--error', 'x'], 'got both'],
    [['decide', 'a/b', 'again', '--made', 'x'], 'expected CALL=JSON'],
    [['decide', 'a/b', 'answer', '--step', 'step'], 'expected --answer JSON'],
    [['decide', 'a/b', 'timeout', '--keep', 'x'], 'not of this decision'],
    [['show', 'a/b'], 'got "show"\n'],
    [['sweep', '--grace', '-1'], '--grace'],
    [['doctor'], 'expected --template'],
    [['doctor', '--template', '/nowhere.json'], '--template: expected a CloudFormation'],
  ] as const)('%j', async ([args, hint]) => {
    const { code, out, err } = await run(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(hint)
    expect(err).toContain('See: lineclear')
  })
})

describe('wrong arguments of a script are JSON, too', () => {
  it.for([
    [['ls', '--json', '--nope'], 'ls', "Unknown option '--nope'"],
    [['--json', 'bogus'], 'bogus', 'expected a command'],
    [['--json', 'dlq discard', 'orders-dead', '--queues=o'], 'dlq discard', 'expected a command'],
    [['ls', '--json', '--table'], 'ls', '--table: expected a value'],
    [['ls', '--table', '--json'], 'ls', '--table: expected a value'],
    [['--why', '…', 'sweep', '--json'], 'sweep', '--why: expected your reason'],
    [['dlq', 'redrive', 'q', '--json', '--apply='], 'dlq', '--apply: expected the name of a plan'],
  ] as const)('%j', async ([args, command, message]) => {
    const { code, out, err } = await run(args)
    expect({ code, err }).toEqual({ code: 2, err: '' })
    expect(JSON.parse(out)).toMatchObject({
      version: 2,
      command,
      error: {
        kind: 'wrong arguments',
        message: expect.stringContaining(message),
        help: [expect.stringContaining('See: lineclear')],
      },
    })
  })
})

describe('help', () => {
  it('lists every command, and is no failure when asked for', async () => {
    const { code, out } = await run(['help'])
    expect(code).toBe(0)
    for (const name of ['ls', 'explain', 'decide', 'sweep']) expect(out).toContain(`\n  ${name}`)
    expect(await run([])).toMatchObject({ code: 2, out })
    expect(await run(['--help'])).toMatchObject({ code: 0, out })
  })

  it.for(['ls', 'explain', 'decide', 'sweep', 'doctor'])(
    'of %s starts with its forms',
    async (name) => {
      const { code, out } = await run([name, '--help'])
      expect(code).toBe(0)
      expect(out.startsWith(`lineclear ${name} `)).toBe(true)
      expect((await run(['help', name])).out).toBe(out)
    },
  )
})

it('an older Node.js is named before a command misses what it lacks, and gets help all the same', async () => {
  const node = '20.20.2'
  const old = await run(['ls'], { node })
  expect(old).toMatchObject({ code: 2, out: '' })
  expect(old.err).toContain('lineclear: expected Node.js 22 or later, got 20.20.2')
  expect(await run(['ls', '--help'], { node })).toMatchObject({ code: 0 })
})

describe('a table that gives no answer ends with 3', () => {
  it.for([
    ['ls'],
    ['ls', '--count'],
    ['explain', '--items', 'a/b'],
    ['explain', 'x', '--scan'],
    ['decide', 'a/b', 'done', '--apply'],
    ['decide', 'a/b', 'free', '--apply'],
    ['decide', 'a/b', 'timeout', '--step', 's', '--apply'],
    ['sweep', '--apply'],
  ] as const)('%j', async (args) => {
    const clients = { dynamodb: cloud.dynamodb, sqs: cloud.sqs }
    const { code, err } = await run(['--table', 'no-such-table', ...args], clients)
    expect(code).toBe(3)
    expect(err).toContain('no-such-table')
  })
})

describe('an empty table', () => {
  it('has nothing to show', async () => {
    const { cli } = await operatorHarness(cloud)
    expect(await cli('ls')).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse((await cli('ls', '--json')).out)).toMatchObject({ tasks: [], next: null })
    expect(JSON.parse((await cli('ls', '--count', '--json')).out)).toMatchObject({ counts: [] })
    expect(await cli('sweep')).toMatchObject({
      code: 0,
      out: 'sweep once\nNothing to do: nothing is due.',
    })
    for (const args of [
      ['explain', '--items', 'a/b'],
      ['explain', 'a/b'],
      ['explain', '--items', 'x', '--scan'],
    ]) {
      const { code, err } = await cli(...args)
      expect(code).toBe(4)
      expect(err).toContain('Not found')
    }
  })
})

function listed(out: string): { readonly tasks: readonly Task[]; readonly next: string | null } {
  return JSON.parse(out) as { tasks: Task[]; next: string | null }
}

describe('several thousand items', () => {
  const MANY = 3_000
  let harness: OperatorHarness
  beforeAll(async () => {
    harness = await operatorHarness(cloud)
    const now = harness.clock.now()
    await harness.store.create(
      Array.from({ length: MANY }, (_, nth) => ({
        pk: `lock#orders/r${nth}`,
        sk: 'token',
        status: nth % 3 === 0 ? 'unknown' : 'inProgress',
        attemptId: `a${nth}`,
        attempt: 2,
        fence: 2,
        leaseUntil: 0,
        created: new Date(now - nth * 1_000).toISOString(),
        error: 'x'.repeat(200),
        statusShard: `${nth % 3 === 0 ? 'unknown' : 'inProgress'}#${nth % 8}`,
        dueAt: now - nth,
      })),
    )
  })

  it('are listed page by page, counted, filtered and found', async () => {
    const { tasks, next } = listed((await harness.cli('ls', '--most', '5000', '--json')).out)
    expect({ number: tasks.length, next }).toEqual({ number: MANY, next: null })
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(MANY)
    expect((await harness.cli('ls', '--most', '7')).out).toContain('7 shown; there are more')
    const unknown = ['ls', '--status', 'unknown', '--json']
    const old = listed((await harness.cli(...unknown, '--older', '2900s')).out)
    expect(old.tasks).toHaveLength(33)
    const others = listed((await harness.cli(...unknown, '--consumer', 'other')).out)
    expect(others.tasks).toEqual([])
    expect(JSON.parse((await harness.cli('ls', '--count', '--json')).out)).toMatchObject({
      counts: [
        { of: 'orders', status: 'inProgress', number: 2_000 },
        { of: 'orders', status: 'unknown', number: 1_000 },
      ],
    })
    const found = JSON.parse(
      (await harness.cli('explain', '--items', 'r2999', '--scan', '--json')).out,
    )
    expect(found).toMatchObject({ items: [{ pk: 'lock#orders/r2999' }] })
  })

  it('move a bar on a terminal, on standard error, and nothing of it stays', async () => {
    const written: string[] = []
    const terminal = { isTTY: true, write: (text: string) => void written.push(text) }
    const clients = { dynamodb: cloud.dynamodb, sqs: cloud.sqs, terminal }
    const args = ['--table', harness.tableName, 'explain', 'r1', '--scan']
    const { code, out } = await run(args, clients)
    expect(code).toBe(0)
    expect(out).not.toContain('\r')
    expect(written.some((text) => text.includes(`of ${MANY}`))).toBe(true)
    expect(written.at(-1)).toBe('\r\u001b[K')
  })
})

/** Without the time of day. */
const shapeOf = ({ out }: { readonly out: string }): object =>
  Object.assign(JSON.parse(out.replaceAll(/lineclear-\d+-\d+/g, 'T')) as object, { at: 'now' })

it('--version prints the version of the package', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, out: '1.2.3', err: '' })
})

describe('for machines', () => {
  it('tasks and plans have these shapes', async () => {
    const harness = await operatorHarness(cloud)
    const dueAt = Date.parse('2026-01-01T00:00:00Z')
    const pk = 'lock#orders/an-id-that-is-longer-than-any-column-of-a-narrow-terminal'
    await harness.store.create([
      {
        pk,
        sk: 'token',
        status: 'error',
        attemptId: 'a',
        attempt: 6,
        fence: 6,
        death: 1,
        reason: 'exhausted',
        error: 'Error: no\u001b[2J luck',
        lockedBy: 'orders/request-1',
        created: new Date(dueAt).toISOString(),
        statusShard: 'error#3',
        dueAt,
      },
    ])
    const id = pk.slice('lock#'.length)
    expect(shapeOf(await harness.cli('ls', '--json'))).toMatchSnapshot('ls')
    expect(shapeOf(await harness.cli('explain', '--items', id, '--json'))).toMatchSnapshot('items')
    const plan = await harness.cli('decide', id, 'again', '--json')
    expect(shapeOf(plan)).toMatchSnapshot('plan')
    expect(shapeOf(await harness.cli('decide', 'a/b', 'done', '--json'))).toMatchSnapshot('missing')
    for (const args of [['ls'], ['explain', '--items', id], ['explain', id]]) {
      expect((await harness.cli(...args)).out).not.toContain('\u001b')
    }
  })
})

it('a value that looks like options does not carry out what was to be shown', async () => {
  const harness = await operatorHarness(cloud)
  const token = { sk: 'token', status: 'error', attemptId: 'a', attempt: 1, fence: 1 }
  await harness.store.create([{ pk: 'lock#orders/r1', ...token }])
  const { out } = await harness.cli('decide', 'orders/r1', 'done', '--error=-yes sorry')
  expect(out).toContain("'--error=-yes sorry' --apply ")
  expect(await harness.item('lock#orders/r1', 'token')).toHaveProperty('status', 'error')
})

describe('--local', () => {
  it('never goes to AWS for what the file does not name', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'lineclear-'))
    await mkdir(join(cwd, '.lineclear'))
    const { dynamodb } = cloud.endpoints
    await writeFile(join(cwd, '.lineclear/local.json'), JSON.stringify({ dynamodb }))
    const { code, err } = await run(['--local', 'dlq', 'groups', '--counts'], { cwd })
    await rm(cwd, { recursive: true })
    expect([code, err]).toEqual([2, expect.stringContaining('names no "sqs"')])
  })

  it('goes to the cloud that the file names', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'lineclear-'))
    await mkdir(join(cwd, '.lineclear'))
    const local = { ...cloud.endpoints, table: 'lineclear' }
    await writeFile(join(cwd, '.lineclear/local.json'), JSON.stringify(local))
    const { code, out } = await run(['--local', 'ls', '--count', '--json'], { cwd })
    const status = await run(['--local', 'status', '--no-queues'], { cwd })
    await rm(cwd, { recursive: true })
    expect(status.out).toContain('No problem found')
    expect(status.out).not.toContain('CloudWatch')
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, version: 2, counts: [] })
  })
})
