import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openStage } from '../../aws/stage.ts'
import { environmentOf, openDev } from './account.ts'
import { operatorHarness, TABLE } from './operatorHarness.ts'

const deployment = inject('deployment')
const { endpoint, operator, customer } = deployment
const place = await openDev(endpoint, customer)
const desk = `${endpoint}/000000000000/desk`
const stage = openStage(
  { ...place, resources: new Map([['desk', desk]]) },
  { withinMs: 240_000, prefix: 'operator-', check() {}, sent() {} },
)
let harness: Awaited<ReturnType<typeof operatorHarness>>
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lineclear-operator-'))
  harness = await operatorHarness(endpoint)
  for (const id of ['made', 'answered', 'not-made']) await harness.doubt(id)
  for (const id of ['bad-1', 'bad-2', 'bad-3']) await harness.refused(id)
  for (const room of ['room-1', 'room-2', 'room-3']) await harness.waits(room)
  harness.hold('held-1')
  await held()
})

afterAll(() => rm(folder, { recursive: true }))

async function held(): Promise<void> {
  const rows = () => stage.rows(TABLE)
  await stage.until('held', rows, (found) => found.some(({ pk }) => pk?.includes('held-1')))
}

const ROOT = resolve(import.meta.dirname, '../../..')

/** The command as it is, with the operator's key: what the README's role does not allow, it cannot do. */
async function lineclear(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly said: string }> {
  const main = resolve(ROOT, 'src/tools/cli/main.ts')
  const child = spawn(process.execPath, ['--conditions=lineclear:source', main, ...args], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      LINECLEAR_TABLE: TABLE,
      ...environmentOf(endpoint, operator),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  })
  const ended = new Promise<number>((done) => child.once('close', (code) => done(code ?? -1)))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, said: out + err }
}

/** With the name of the plan after `--apply`, where the command has one. */
async function withPlan(args: readonly string[]): Promise<readonly string[]> {
  const asked = args.filter((arg) => arg !== '--apply')
  if (asked.length === args.length || args[0] === 'sweep') return args
  const { said } = await lineclear(...asked, '--json')
  return [...asked, '--apply', (JSON.parse(said) as { plan: string }).plan]
}

/** What it says on success. */
async function expectDone(...args: readonly string[]): Promise<string> {
  const { code, said } = await lineclear(...(await withPlan(args)))
  expect({ args, code, said }).toMatchObject({ code: 0 })
  expect(said).not.toMatch(/not authorized|AccessDenied|not allowed/i)
  return said
}

interface Groups {
  readonly groups: readonly { readonly group: string }[]
}

describe('with the actions of the README, the operator', () => {
  it('sees what is stuck, how much of it there is, and what each request met', async () => {
    expect(await expectDone('ls')).toContain('desk/made')
    expect(await expectDone('ls', '--status', 'unknown')).toContain('desk/not-made')
    await expectDone('ls', '--due')
    await expectDone('ls', '--count')
    expect(await expectDone('decide')).toContain('charge')
    expect(await expectDone('explain', 'desk/made')).toContain('charge')
    expect(await expectDone('explain', 'made', '--scan')).toContain('charge')
    expect(await expectDone('explain', 'quotes/room-1')).toContain('quote')
    expect(await expectDone('explain', '--items', 'desk/made', '--json')).toContain('made')
  })

  it('resolves unknown outcomes', async () => {
    const { groups } = JSON.parse(await expectDone('decide', '--json')) as Groups
    for (const { group } of groups) {
      expect(await lineclear('decide', group, 'done')).toMatchObject({ code: 0 })
    }
    await expectDone('decide', 'desk/made', 'done', '--apply')
    await expectDone('decide', 'desk/answered', 'again', '--made', 'charge="receipt 5"', '--apply')
    await expectDone('decide', 'desk/not-made', 'again', '--not-done', 'charge', '--apply')
    await expectDone('dlq', 'redrive', 'desk-dead', '--id', 'not-made', '--apply')
    expect(await stage.waiting(/^desk$/)).toEqual({ desk: 1 })
  })

  it('releases a request of a crashed function', async () => {
    await expectDone('decide', 'held/held-1', 'free', '--force', '--apply')
  })

  it('inspects dead letters, discards and restores them, and redrives them', async () => {
    const groups = await expectDone('dlq', 'groups', 'desk-dead', '--json')
    const found = JSON.parse(groups) as { groups: { group: string; example: string }[] }
    const refused = found.groups.find(({ example }) => example.includes('bad-'))
    await expectDone('dlq', 'peek', 'desk-dead')
    expect(await expectDone('dlq', 'groups')).toContain('desk-dead')
    await expectDone('dlq', 'edit', 'desk-dead', '--id', 'bad-2', '--set', 'doubt=false', '--apply')
    const discard = ['dlq', 'discard', 'desk-dead', '--id', 'bad-3'] as const
    const { plan } = JSON.parse(await expectDone(...discard, '--json')) as { plan: string }
    expect(await lineclear(...discard, '--apply', plan)).toMatchObject({ code: 0 })
    await expectDone('dlq', 'restore', plan, '--apply')
    await expectDone('dlq', 'redrive', 'desk-dead', '--group', refused?.group ?? '', '--apply')
  })

  it('answers for an outside system, or says that it never will', async () => {
    const answer = JSON.stringify({ quoteId: 'quote of room-1', price: 5 })
    await expectDone(
      'decide',
      'quotes/room-1',
      'answer',
      '--step',
      'quote',
      '--answer',
      answer,
      '--wait',
      '0s',
      '--apply',
    )
    expect(await expectDone('decide', 'quotes/room-3', 'again', '--step', 'quote')).toContain(
      'it waits already',
    )
    await expectDone('decide', 'quotes/room-2', 'timeout', '--step', 'quote', '--apply')
    await expectDone('decide', 'quotes/room-3', 'free', '--apply')
  })

  it('plans a pause, and lists what is paused', async () => {
    await expectDone('pause', '--queue', 'lineclear-orders', '--no-end')
    await expectDone('pause')
    await expectDone('resume', '--all')
  })

  it('finds in the audit what it has changed', async () => {
    expect(await expectDone('explain', '--history')).toMatch(
      /decide free +quotes\/room-3 +\w+ +applied/,
    )
  })

  it('sweeps by hand', async () => {
    await expectDone('sweep')
    // Exit code 1: requests whose dead letters were discarded above still wait for an operator.
    const { code, said } = await lineclear('sweep', '--search', '--apply')
    expect({ code: code === 0 || code === 1, said }).toMatchObject({ code: true })
    expect(said).toMatch(/failed +0/)
    expect(said).not.toMatch(/not authorized|AccessDenied|not allowed/i)
  })

  it('runs the doctor', async () => {
    await expectDone('doctor', '--table', 'lineclear', '--queue', 'lineclear-orders')
  })
})
