import { Readable } from 'node:stream'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCli } from '../../../src/tools/cli/runCli.ts'
import { testTime } from '../../flow/flowHarness.ts'
import {
  count,
  emptyAll,
  hide,
  moveBySqs,
  receive,
  send,
  sendDeadLetter,
  startDlqCloud,
} from '../operator/dlqHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud({ lineclear: tableDefinition() })
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

/** As typed after `lineclear dlq`. */
async function type(...args: readonly string[]) {
  return lineclear('dlq', ...args)
}

async function audit(...args: readonly string[]) {
  return lineclear('explain', '--history', ...args)
}

async function lineclear(...args: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  const terminal = { isTTY: true, write: (text: string) => void shown.push(text) }
  const shown: string[] = []
  const world = {
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    terminal,
    stdin: Readable.from([]),
    width: 200,
    env: {},
    cwd: '/',
    clock: testTime(),
    user: () => 'ann',
    version: () => '1.2.3',
    sqs: cloud.sqs,
    dynamodb: cloud.dynamodb,
  }
  const code = await runCli(args, world)
  return { code, out: out.join('\n'), err: err.join('\n'), progress: shown.join('') }
}

/** Makes the plan, and applies it by its name. */
async function apply(...args: readonly string[]) {
  const { out } = await type(...args, '--json')
  const { plan } = JSON.parse(out) as { plan?: string }
  return { ...(await type(...args, '--apply', plan ?? 'no-plan')), plan }
}

async function someLetters(): Promise<void> {
  await sendDeadLetter(
    cloud,
    { secret: 'card 4711' },
    { id: 'r1', reason: 'exhausted', error: 'order 1 timed out' },
  )
  await sendDeadLetter(cloud, 'two', { id: 'r2', reason: 'exhausted', error: 'order 2 timed out' })
  await sendDeadLetter(cloud, 'three', { id: 'r3', reason: 'terminal', error: 'no\u001b[2J stock' })
}

const POINTER = { sha256: 'a'.repeat(64), bytes: 2_000_000 }
const MOVED = `lineclear: the payload is at s3://mine/p/${POINTER.sha256} (2000000 bytes)`

describe('groups', () => {
  it('shows reason, error and count of each group, and its progress', async () => {
    await someLetters()
    const { code, out, progress } = await type('groups', 'dead')
    expect(code).toBe(0)
    const [head = '', ...rows] = out.split('\n')
    expect(head).toMatch(/^GROUP +COUNT +ORIGIN +REASON +ERROR +OLDEST +NEWEST +EXAMPLE$/)
    expect(rows[0]).toMatch(/^[\da-f]{8} +2 +not said +exhausted +order <n> timed out .* r1$/)
    expect(rows[1]).toMatch(/^[\da-f]{8} +1 .* terminal +no \[<n>J stock .* r3$/)
    expect(rows.at(-1)).toBe('3 dead letters looked at')
    expect(progress).toContain('3 of 3')
    expect(count(cloud, 'dead')).toBe(3)
  })

  it('for machines', async () => {
    await someLetters()
    const { out } = await type('groups', 'dead', '--json', '--reason', 'terminal')
    expect(JSON.parse(out)).toMatchObject({
      groups: [
        {
          group: expect.stringMatching(/^[\da-f]{8}$/),
          origin: 'not said',
          reason: 'terminal',
          error: 'no [<n>J stock',
          count: 1,
          oldest: expect.stringMatching(/Z$/),
          newest: expect.stringMatching(/Z$/),
          arrivals: [1, ...Array.from({ length: 23 }, () => 0)],
          example: 'r3',
        },
      ],
      looked: 3,
      more: false,
      fifo: false,
    })
  })

  it('names the run of a flow, which explain and --id take', async () => {
    const flow = { name: 'trip', key: 'k', id: 'run-1', epoch: 1, sentAt: 1, from: 'book' }
    await sendDeadLetter(cloud, 1, { id: 'x'.repeat(43), reason: 'terminal', flow })
    const { out } = await type('groups', 'dead')
    expect(out).toMatch(/ run-1\n/)
    expect(await type('peek', 'dead', '--id', 'run-1')).toMatchObject({ code: 0 })
  })

  it('without a queue: those of all dead-letter queues, each with its queue', async () => {
    await someLetters()
    const attributes = { uniquerequestid: { DataType: 'String', StringValue: 'f1' } }
    await send(cloud, 'dead.fifo', 1, { attributes, groupId: 'g', deduplicationId: 'd' })
    const { code, out } = await type('groups')
    expect(code).toBe(0)
    const [head = '', ...rows] = out.split('\n')
    expect(head).toMatch(/^QUEUE +GROUP +COUNT/)
    expect(rows[0]).toMatch(/^dead +[\da-f]{8} +2 /)
    expect(rows.some((row) => /^dead\.fifo +[\da-f]{8} +1 /.test(row))).toBe(true)
    expect(out).toContain('4 dead letters looked at on 2 dead-letter queues')
    const { out: json } = await type('groups', '--queues', 'orders.', '--json')
    expect(JSON.parse(json)).toMatchObject({
      groups: [{ queue: 'dead.fifo', example: 'f1' }],
      queues: [{ name: 'dead.fifo', sources: ['orders.fifo'], visible: 1 }],
      unread: [],
    })
  })

  it('looks at several queues at a time, under one progress bar', async () => {
    await someLetters()
    await send(cloud, 'dead.fifo', 1, { groupId: 'g', deduplicationId: 'together' })
    const asked = new Set<string>()
    const { middlewareStack } = cloud.sqs
    middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'ReceiveMessageCommand') {
            asked.add((args.input as { readonly QueueUrl: string }).QueueUrl)
            await vi.waitUntil(() => asked.size === 2, { timeout: 300_000 })
          }
          return next(args)
        },
      { name: 'all are asked before one answers' },
    )
    try {
      const { code, out, progress } = await type('groups')
      expect(code).toBe(0)
      expect(out).toMatch(/^QUEUE .*\ndead .*\ndead .*\ndead\.fifo /)
      expect(progress).toContain('4 of 4')
    } finally {
      middlewareStack.remove('all are asked before one answers')
    }
  })

  it('an empty queue is no failure', async () => {
    expect(await type('groups', 'dead')).toMatchObject({ code: 0, out: '0 dead letters looked at' })
  })
})

describe('queues', () => {
  it('are listed with their counts and sources, and nothing is received', async () => {
    await someLetters()
    const { code, out } = await type('groups', '--counts')
    expect({ code, head: out.split('\n')[0] }).toEqual({
      code: 0,
      head: expect.stringMatching(/^QUEUE +MESSAGES +HELD +OF$/),
    })
    expect(out).toMatch(/^dead +3 +0 +book, orders, other/m)
    const { out: json } = await type('groups', '--counts', '--queues', 'orders.', '--json')
    expect(JSON.parse(json)).toMatchObject({
      queues: [{ name: 'dead.fifo', visible: 0, sources: ['orders.fifo'] }],
      unread: [],
    })
    for (const selection of [['--reason', 'moved'], ['--per', 'MessageGroupId'], ['dead']]) {
      expect(await type('groups', '--counts', ...selection)).toMatchObject({ code: 2 })
    }
    const received = (await receive(cloud, 'dead')).map(
      ({ attributes }) => attributes.ApproximateReceiveCount,
    )
    expect(received).toEqual(['1', '1', '1'])
  })
})

describe('peek', () => {
  it('shows a dead letter, and its body only with --body', async () => {
    await someLetters()
    const { code, out } = await type('peek', 'dead', '--id', 'r1')
    expect(code).toBe(0)
    expect(out).toMatch(/^r1\n/)
    expect(out).toMatch(/ {2}reason +exhausted\n {2}error +order 1 timed out\n {2}attempts +2\n/)
    expect(out).not.toContain('card 4711')
    const { out: whole } = await type('peek', 'dead', '--id', 'r1', '--body')
    expect(whole).toContain('{"secret":"card 4711"}')
    const { out: json } = await type('peek', 'dead', '--json', '--match', 'two', '--body')
    expect(JSON.parse(json)).toMatchObject({
      letters: [{ uniquerequestid: 'r2', body: 'two', identity: 'stamped', death: 1 }],
    })
  })

  it('gives scripts its times as ISO 8601, and persons the distance, too', async () => {
    const sentAt = Date.UTC(2026, 0, 31, 3)
    await sendDeadLetter(cloud, 1, { id: 'r1', reason: 'terminal', sentAt })
    const { out: json } = await type('peek', 'dead', '--json')
    expect(JSON.parse(json)).toMatchObject({
      letters: [
        { sentAt: expect.stringMatching(/^2.*Z$/), firstSentAt: '2026-01-31T03:00:00.000Z' },
      ],
    })
    const { out } = await type('peek', 'dead')
    expect(out).toMatch(/^ {2}firstSentAt +2026-01-31T03:00:00\.000Z \(.* ago\)$/m)
  })

  it('cuts what is long, unless --json, and lets no text move the cursor', async () => {
    await sendDeadLetter(cloud, `${'x'.repeat(1_000)}\u0085end`, { id: 'r1', reason: 'terminal' })
    const cut = await type('peek', 'dead', '--body')
    expect(cut.out).toMatch(/ {2}body +x{400}…\n/)
    await sendDeadLetter(cloud, 'y\u0085end', { id: 'r2', reason: 'terminal' })
    expect((await type('peek', 'dead', '--body', '--id', 'r2')).out).toMatch(
      / {2}body +y<U\+0085>end\n/,
    )
    expect((await type('peek', 'dead', '--body', '--json')).out).toMatch(/x{1000}/)
  })

  it('says where the payload is that the message does not carry', async () => {
    await sendDeadLetter(cloud, MOVED, { id: 'r1', reason: 'rejected', payload: POINTER })
    const { out } = await type('peek', 'dead')
    expect(out).toMatch(/^ {2}payload {9}s3:\/\/mine\/p\/a{64} \(2000000 bytes\)$/m)
  })

  it('without a queue: searches all, and stops when enough are found', async () => {
    await someLetters()
    const { code, out } = await type('peek', '--id', 'r2')
    expect([code, out]).toEqual([0, expect.stringMatching(/^r2\n {2}queue +dead\n/)])
    const { out: json } = await type('peek', '--most', '2', '--json')
    expect(JSON.parse(json)).toMatchObject({ letters: { length: 2 }, more: true })
    expect(out).toMatch(/\n1 dead letter shown, \d looked at$/)
    expect(await type('peek', '--id', 'r9')).toMatchObject({ code: 4 })
  })

  it('shows each of several ids, and as many as were asked for', async () => {
    await someLetters()
    const { out } = await type('peek', 'dead', '--id', 'r1', '--id', 'r3', '--json')
    const { letters } = JSON.parse(out) as { letters: { uniquerequestid: string }[] }
    expect(letters.map((each) => each.uniquerequestid).toSorted()).toEqual(['r1', 'r3'])
  })

  it('an unknown id ends with 4', async () => {
    await someLetters()
    expect(await type('peek', 'dead', '--id', 'r9')).toMatchObject({ code: 4 })
  })
})

describe('redrive', () => {
  it('shows the plan and the command that carries it out; that one does', async () => {
    await someLetters()
    const plan = await type('redrive', 'dead', '--to', 'orders', '--reason', 'exhausted')
    expect(plan.code).toBe(0)
    expect(plan.out).toMatch(
      /^dlq redrive dead\n2 dead letters would go to \S+\/orders\n {2}2 exhausted of not said: order <n> timed out\n {4}r[12], r[12]\n2 of them [^\n]+ name no consumer: [^\n]+\n1 not selected\nNothing was changed: this is the plan\. To make the change:\n {2}lineclear dlq redrive dead --to orders --reason exhausted --apply [\da-f]{8} --why "…"$/,
    )
    expect([count(cloud, 'dead'), count(cloud, 'orders')]).toEqual([3, 0])
    const [, name = ''] = /--apply (\w+)/.exec(plan.out) ?? []
    const typed = ['redrive', 'dead', '--to', 'orders', '--reason', 'exhausted', '--apply', name]
    expect(await type(...typed)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^dlq redrive dead\n2 dead letters sent to \S+\/orders\n2 of .* the table does not show .*\nDone, and recorded as done by ann\.$/,
      ),
    })
    expect([count(cloud, 'dead'), count(cloud, 'orders')]).toEqual([1, 2])
    expect(await type(...typed)).toMatchObject({
      code: 0,
      out: 'dlq redrive dead\nNothing to do: no dead letter of the plan is left.',
    })
  })

  it('leaves what arrived after the plan, and counts it', async () => {
    await someLetters()
    const { out } = await type('redrive', 'dead', '--to', 'orders', '--json')
    const { plan } = JSON.parse(out) as { plan: string }
    await sendDeadLetter(cloud, 'four', { id: 'r4', reason: 'exhausted' })
    const applied = await type('redrive', 'dead', '--to', 'orders', '--json', '--apply', plan)
    expect(JSON.parse(applied.out)).toMatchObject({ outcome: 'applied', moved: 3, missing: 0 })
    expect([count(cloud, 'dead'), count(cloud, 'orders')]).toEqual([1, 3])
    const { out: peeked } = await type('peek', 'dead')
    expect(peeked).toMatch(/^r4\n/)
  })

  it('says what of the plan is gone since', async () => {
    await someLetters()
    const { out } = await type('redrive', 'dead', '--to', 'orders', '--json')
    const { plan } = JSON.parse(out) as { plan: string }
    await apply('redrive', 'dead', '--to', 'other', '--id', 'r1')
    const applied = await type('redrive', 'dead', '--to', 'orders', '--apply', plan)
    expect(applied.out).toMatch(
      /1 of the plan are not on the queue any more, or another reader holds them:\n  message [\w-]{36}, uniquerequestid r1\n/,
    )
    expect([count(cloud, 'other'), count(cloud, 'orders')]).toEqual([1, 2])
  })

  it.each([
    ['redrive', ['--to', 'orders']],
    ['discard', []],
  ])('%s is not done while another reader holds the dead letters', async (verb, options) => {
    await someLetters()
    const { out } = await type(verb, 'dead', ...options, '--json')
    const { plan } = JSON.parse(out) as { plan: string }
    const held = await receive(cloud, 'dead')
    expect(await type(verb, 'dead', ...options, '--apply', plan)).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        new RegExp(`The rest stays.*\\n  lineclear .*dlq ${verb} .*--apply ${plan}$`),
      ),
    })
    expect((await lineclear('status', '--plan', plan)).out).toMatch(
      /stopped  0 of 3 done\n  stopped: another reader holds dead letters/,
    )
    const shown = await type('redrive', '--continue', plan)
    expect(shown.out).toMatch(verb === 'redrive' ? /0 of 3 done[\s\S]*this is the plan/ : /Refused/)
    expect(count(cloud, 'dead')).toBe(0)
    for (const record of held) await hide(cloud, 'dead', record)
    expect(await type(verb, 'dead', ...options, '--apply', plan)).toMatchObject({ code: 0 })
    expect(count(cloud, 'dead')).toBe(0)
  })

  it.each([
    ['redrive', ['--to', 'orders']],
    ['discard', []],
  ])('%s lists all of a plan that are gone, also when nothing is left', async (verb, options) => {
    for (let n = 0; n < 101; n++)
      await sendDeadLetter(cloud, `n${n}`, { id: `r${n}`, reason: 'exhausted' })
    const { out } = await type(verb, 'dead', ...options, '--json')
    const { plan } = JSON.parse(out) as { plan: string }
    await apply('redrive', 'dead', '--to', 'other')
    const applied = await type(verb, 'dead', ...options, '--apply', plan)
    expect(applied.out).toMatch(
      /no dead letter of the plan is left\.\n101 of the plan .*:\n(  message [\w-]+, uniquerequestid r\d+\n){100}  and 1 more: --json lists them$/,
    )
    const json = JSON.parse((await type(verb, 'dead', ...options, '--apply', plan, '--json')).out)
    expect(json).toMatchObject({ outcome: 'nothing', missing: 101 })
    const { missingLetters } = json as { missingLetters: { uniqueRequestId: string }[] }
    expect(new Set(missingLetters.map(({ uniqueRequestId }) => uniqueRequestId)).size).toBe(101)
  })

  it('--apply without a name, with a wrong name, and with the name of another command change nothing', async () => {
    await someLetters()
    const bare = await type('redrive', 'dead', '--to', 'orders', '--apply')
    expect(bare).toMatchObject({
      code: 1,
      out: expect.stringMatching(/--apply expects the name of the plan .*\n.* --apply [\da-f]{8}/),
    })
    const [, name = ''] = /--apply ([\da-f]{8})/.exec(bare.out) ?? []
    expect(await type('redrive', 'dead', '--to', 'orders', '--apply', '0badc0de')).toMatchObject({
      code: 4,
      out: expect.stringContaining('There is no plan 0badc0de'),
    })
    expect(await type('redrive', 'dead', '--to', 'other', '--apply', name)).toMatchObject({
      code: 1,
      out: expect.stringContaining(
        'is of another command:\n  lineclear dlq redrive dead --to orders',
      ),
    })
    expect(count(cloud, 'dead')).toBe(3)
  })

  it('of all queues goes to the source of each', async () => {
    await send(cloud, 'book', { n: 1 })
    await moveBySqs(cloud, 'book')
    await send(cloud, 'orders.fifo', 1, { groupId: 'g', deduplicationId: 'd1' })
    await moveBySqs(cloud, 'orders.fifo')
    expect(await apply('redrive', '--all')).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /1 dead letter sent to \S+book\n1 dead letter sent to \S+orders\.fifo/,
      ),
    })
    expect([count(cloud, 'book'), count(cloud, 'orders.fifo')]).toEqual([1, 1])
  })

  it('twice in a row: the second finds nothing, and is no failure', async () => {
    await someLetters()
    const again = ['redrive', 'dead', '--to', 'orders', '--rate', '1000'] as const
    expect(await apply(...again)).toMatchObject({ code: 0 })
    expect(await type(...again)).toMatchObject({
      code: 0,
      out: 'dlq redrive dead\nNothing to do: no dead letter matches.',
    })
  })

  it('nothing matches: says so, and what is there', async () => {
    await someLetters()
    for (const verb of [['redrive'], ['discard']]) {
      const { code, out } = await type(...verb, 'dead', '--group', '0badc0de')
      expect(code).toBe(4)
      expect(out).toMatch(
        /^dlq \w+ dead\nNot found: no dead letter matches\.\nOn the queue are, by group:\n {2}[\da-f]{8} {2}[12] \w+ of not said: /,
      )
    }
  })

  it('nothing matches, because a command that was killed holds it: says so', async () => {
    await sendDeadLetter(cloud, 'one', { id: 'r1', reason: 'terminal' })
    const [held] = await receive(cloud, 'dead')
    for (const verb of ['redrive', 'discard']) {
      const { code, out } = await type(verb, 'dead', '--id', 'r1')
      expect(code).toBe(4)
      expect(out).toMatch(
        /^dlq \w+ dead r1\nNot found: .*(\n.*)?a command that was killed, holds .* in a minute\.$/,
      )
    }
    if (held !== undefined) await hide(cloud, 'dead', held)
  })

  it('shows ten ids of a group in its plan, and how many more there are', async () => {
    for (let n = 0; n < 12; n++) {
      await sendDeadLetter(cloud, n, { id: `r${n}`, reason: 'terminal' })
    }
    const { out } = await type('redrive', 'dead', '--to', 'orders')
    expect(out).toMatch(/\n {2}12 terminal of not said\n {4}(r\d+, ){9}r\d+, and 2 more\n/)
  })

  it('names the dead letters without a destination, and how to give one', async () => {
    await someLetters()
    const { code, out } = await type('redrive', 'dead')
    expect(code).toBe(1)
    expect(out).toMatch(
      /^dlq redrive dead\n3 stay: their source queue is not known\. Give --to QUEUE/,
    )
    expect(count(cloud, 'dead')).toBe(3)
  })

  it('counts the dead letters that are sent with their message id, and does not prompt', async () => {
    const messageId = await send(cloud, 'book', { n: 1 })
    await moveBySqs(cloud, 'book')
    const { out } = await type('redrive', 'dead')
    expect(out).toContain(
      '1 of them carry no uniquerequestid: each is sent with its SQS message id',
    )
    const { out: json } = await apply('redrive', 'dead', '--json')
    expect(JSON.parse(json)).toMatchObject({
      action: 'dlq redrive',
      outcome: 'applied',
      moved: 1,
      stamped: 1,
      stays: { notSelected: 0, newer: 0, noDestination: 0, tooLarge: 0 },
      watched: { unknown: 1 },
      ended: 'complete',
    })
    const [record] = await receive(cloud, 'book')
    expect(record?.messageAttributes['lineclear']?.stringValue).toContain(`"${messageId}"`)
  })
})

describe('a plan', () => {
  it('is shown with its progress, and its changes are in the audit', async () => {
    await someLetters()
    const { plan = '' } = await apply('redrive', 'dead', '--to', 'orders', '--why', 'fixed')
    expect(await lineclear('status', '--plan', plan)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        new RegExp(
          `^${plan}  done  3 of 3 done\\n  by ann, .*\\n  lineclear dlq redrive dead --to orders$`,
        ),
      ),
    })
    const { out } = await audit('--action', 'dlq', 'dead')
    expect(out).toMatch(new RegExp(`ann +dlq redrive +dead +${plan} +applied: 3 of 3 +fixed`))
    expect(
      JSON.parse((await lineclear('status', '--plan', plan, '--json')).out),
    ).not.toHaveProperty('next')
    expect(await type('redrive', '--continue', plan, '--apply', plan)).toMatchObject({
      code: 0,
      out: expect.stringContaining('no dead letter of the plan is left'),
    })
    const { out: resumed } = await type('redrive', '--continue', plan, '--apply', plan, '--json')
    expect(JSON.parse(resumed)).toMatchObject({ outcome: 'nothing', missing: 0, untried: 0 })
    expect(await lineclear('status', '--plan', '0badc0de')).toMatchObject({ code: 4 })
    expect(await type('redrive', '--continue', '0badc0de')).toMatchObject({ code: 4 })
  })
})

describe('a plan that is continued', () => {
  /** As whoever can write the table would change the row of a plan. */
  async function forge(plan: string, action: string, args: readonly string[]): Promise<void> {
    const set = { action, args: JSON.stringify(args), state: 'paused' }
    await dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }).update([
      { key: { pk: `operation#${plan}`, sk: 'plan' }, where: [{ exists: 'pk' }], set },
    ])
  }

  async function shownPlan(): Promise<string> {
    await someLetters()
    const { out } = await type('redrive', 'dead', '--to', 'orders', '--json')
    return (JSON.parse(out) as { plan: string }).plan
  }

  it('is refused while it was only shown', async () => {
    const plan = await shownPlan()
    expect(await type('redrive', '--continue', plan, '--apply', plan)).toMatchObject({
      code: 1,
      out: expect.stringContaining(`lineclear dlq redrive dead --to orders --apply ${plan}`),
    })
    expect([count(cloud, 'dead'), count(cloud, 'orders')]).toEqual([3, 0])
  })

  it('reads and writes no file that its row in the table names', async () => {
    const plan = await shownPlan()
    await forge(plan, 'dlq redrive', ['dlq', 'redrive', 'dead', '--from-file=/etc/passwd'])
    expect(await type('redrive', '--continue', plan, '--apply', plan)).toMatchObject({
      code: 2,
      err: expect.stringContaining("Unknown option '--from-file'"),
    })
    expect(count(cloud, 'dead')).toBe(3)
  })

  it('runs no other command than that of its plan, and prints none', async () => {
    const plan = await shownPlan()
    await forge(plan, 'dlq redrive', ['dlq', 'discard', 'dead'])
    const { code, out } = await type('redrive', '--continue', plan, '--apply', plan)
    expect({ code, out }).toMatchObject({ code: 1, out: expect.stringContaining('Plan it anew') })
    expect(out).not.toContain('lineclear dlq')
    expect(count(cloud, 'dead')).toBe(3)
  })

  it('sends nothing to another queue than it has shown', async () => {
    const plan = await shownPlan()
    await forge(plan, 'dlq redrive', ['dlq', 'redrive', 'dead', '--to', 'other'])
    const { out } = await type('redrive', '--continue', plan, '--apply', plan, '--force')
    expect(out).toContain('they would go to another queue than the plan has shown')
    expect([count(cloud, 'dead'), count(cloud, 'other')]).toEqual([3, 0])
  })

  it('gets its --force again', async () => {
    await someLetters()
    const forced = ['redrive', 'dead', '--to', 'orders', '--force'] as const
    const { out } = await type(...forced, '--json')
    const { plan } = JSON.parse(out) as { plan: string }
    const held = await receive(cloud, 'dead')
    const next = `lineclear dlq redrive --continue ${plan} --apply ${plan} --force`
    expect((await type(...forced, '--apply', plan)).out).toContain(next)
    expect((await lineclear('status', '--plan', plan)).out).toContain(next)
    for (const record of held) await hide(cloud, 'dead', record)
  })
})

describe('a plan whose command was killed', () => {
  it('is done, although the last second of its progress is not recorded', async () => {
    await someLetters()
    const { out } = await type('redrive', 'dead', '--to', 'orders', '--json')
    const { plan } = JSON.parse(out) as { plan: string }
    await apply('redrive', 'dead', '--to', 'other', '--id', 'r1')
    await type('redrive', 'dead', '--to', 'orders', '--apply', plan)
    expect((await lineclear('status', '--plan', plan)).out).toContain(
      'nothing is left: 1 were gone, processed by a killed command or by another one',
    )
    expect((await lineclear('status', '--plan', '0badc0de')).out).toContain(
      'To list all changes: lineclear explain --history',
    )
  })
})

describe('discard', () => {
  it('says how many have their payload elsewhere', async () => {
    await sendDeadLetter(cloud, MOVED, { id: 'r1', reason: 'rejected', payload: POINTER })
    await someLetters()
    const { out } = await type('discard', 'dead')
    expect(out).toMatch(
      /^1 have their payload in another store, whose lifecycle rule may expire it$/m,
    )
  })
})

it('an edit on a FIFO queue says that the corrected one goes behind the later ones', async () => {
  const attributes = { uniquerequestid: { DataType: 'String', StringValue: 'f1' } }
  await send(cloud, 'dead.fifo', { n: 1 }, { attributes, groupId: 'g', deduplicationId: 'e1' })
  const edit = ['edit', 'dead.fifo', '--id', 'f1', '--set', 'n=2'] as const
  const { out } = await type(...edit)
  expect(out).toContain('its queue is FIFO: the corrected message goes behind the later ones')
  expect(await type(...edit, '--apply', /--apply (\w+)/.exec(out)?.[1] ?? '')).toMatchObject({
    code: 0,
  })
  expect((await receive(cloud, 'dead.fifo')).map(({ body }) => body)).toEqual(['{"n":2}'])
})

describe('what is wrong', () => {
  it.each([
    [['groups', 'deaf'], 'there is no queue deaf'],
    [['redrive', 'dead', '--to', 'order'], 'there is no queue order'],
  ])('%j: not found, 4', async (args, said) => {
    await someLetters()
    expect(await type(...args)).toMatchObject({ code: 4, err: expect.stringContaining(said) })
    expect(count(cloud, 'dead')).toBe(3)
  })

  it.each([
    [[], 'expected groups, peek, redrive, edit, discard or restore; got nothing'],
    [['constructor'], 'got "constructor"'],
    [['groups', 'dead', '--all'], 'expected QUEUE or --all, got both'],
    [['groups', 'dead', 'alive'], 'got also "alive"'],
    [['groups', 'dead', '--grop', 'x'], '--group'],
    [['peek', 'dead', '--most', '0'], '--most: expected a whole number'],
    [['redrive', 'dead', '--rate', 'fast'], '--rate: expected a whole number'],
    [['redrive', 'dead', '--older-than', 'long'], '--older-than: expected a time'],
    [['archive', 'dead'], 'got "archive"'],
    [['plan', '7f3a91c2'], 'got "plan"'],
    [['restore', 'PLAN', '--to-file'], "Unknown option '--to-file'"],
    [['redrive'], 'expected QUEUE, --all or --queues PREFIX'],
    [['redrive', 'dead', '--stop-after', '1', '--no-ramp'], 'got both'],
    [['redrive', '--continue', ''], '--continue: expected a value, got ""'],
    [['redrive', 'dead', '--continue', '7f3a91c2'], 'expected QUEUE or --continue, got both'],
    [['redrive', '--all', '--continue', '7f3a91c2'], 'expected --continue or --all, got both'],
    [['redrive', 'dead', '--group', ''], '--group: expected a value, got ""'],
    [['peek', '--id', ''], '--id: expected a value, got ""'],
    [
      ['redrive', 'dead', '--apply', 'nonsense'],
      '--apply expects the name of a plan, eight hexadecimal digits: "nonsense" is none',
    ],
    [
      ['redrive', 'dead', '--apply', '01234567', '--why', '…'],
      '--why: expected your reason in place of "…"',
    ],
  ])('%j: usage', async (args, said) => {
    await someLetters()
    const { code, err } = await type(...args)
    expect(code).toBe(2)
    expect(err).toContain(said)
    expect(count(cloud, 'dead')).toBe(3)
  })

  it('a source queue is refused, with its dead-letter queue named', async () => {
    const { code, err } = await type('groups', 'orders')
    expect(code).toBe(2)
    expect(err).toMatch(/it has one, \S+\/dead\./)
    expect(await type('groups', 'orders', '--force')).toMatchObject({ code: 0 })
  })
})
