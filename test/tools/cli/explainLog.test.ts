import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { defineFlow, jsonLogger } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/library/base/clock.ts'
import { runCli } from '../../../src/tools/cli/runCli.ts'
import { deliver, emptyAll, hand, receive, send } from '../../flow/flowHarness.ts'
import { Booking, Shipping } from '../../flow/trip.ts'
import { consumerOn, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
let place: string
beforeAll(async () => {
  cloud = await startCloud()
  place = await mkdtemp(join(tmpdir(), 'lineclear-log-'))
})
afterEach(() => emptyAll(cloud))
afterAll(async () => {
  await rm(place, { recursive: true })
  await cloud.stop()
})

/** A harness whose functions write their log into a file, between lines of the runtime. */
async function loggingHarness() {
  const harness = await operatorHarness(cloud)
  const lines: string[] = ['START RequestId: 1 Version: $LATEST']
  const logger = jsonLogger('INFO', (line) => lines.push(line))
  const file = join(place, `${harness.tableName}.log`)
  const written = async (): Promise<string> => {
    await writeFile(file, [...lines, 'REPORT RequestId: 1'].join('\n'))
    return file
  }
  return { ...harness, lines, options: { ...harness.options, logger }, written }
}

/** Run once, and redelivered. */
async function takenTwice() {
  const harness = await loggingHarness()
  const handler = consumerOn(harness, () => {}, {
    id: () => 'tx-1',
  })
  for (let copy = 0; copy < 2; copy++) {
    await send(cloud, 'book', { tx: 'tx-1' })
    await deliver(cloud, 'book', handler)
  }
  return harness
}

describe('explain --log: why a copy was dropped, which only the log records', () => {
  it('of a consumer: beside what the table knows; what is no line of a logger is counted', async () => {
    const harness = await takenTwice()
    const { code, out, err } = await harness.cli(
      'explain',
      'orders/tx-1',
      '--log',
      await harness.written(),
    )
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('request orders/tx-1')
    expect(out).toContain('timeline, with 2 of 4 log lines; 2 lines are not log entries')
    expect(out).toMatch(/log +orders +1 +succeeded/)
    expect(out).toMatch(/table +orders +1 +ended/)
    expect(out).toMatch(
      /log +orders +dropped: a duplicate of a finished request +message [\w-]{36}/,
    )
  })

  it('a bare id is looked up under the consumers that the log names for it', async () => {
    const harness = await takenTwice()
    const file = await harness.written()
    const { code, out } = await harness.cli('explain', 'tx-1', '--log', file)
    expect(code).toBe(0)
    expect(out).toContain('request orders/tx-1')
    const messageId = /message ([\w-]{36})/.exec(out)?.[1] ?? ''
    const byMessage = await harness.cli('explain', messageId, '--log', file)
    expect(byMessage.out).toContain('request orders/tx-1')
    expect(byMessage.out).toContain('dropped: a duplicate')
  })

  it('from standard input, and from several files, for machines', async () => {
    const harness = await takenTwice()
    const piped = await harness.piped(
      [harness.lines.join('\n')],
      'explain',
      'tx-1',
      '--log',
      '-',
      '--json',
    )
    const explained = JSON.parse(piped.out) as { timeline: { from: string; what: string }[] }
    expect(explained).toMatchObject({
      explained: [{ title: 'request orders/tx-1' }],
      log: { lines: 3, skipped: 1, more: false },
    })
    expect(explained.timeline.filter(({ from }) => from === 'log').map(({ what }) => what)).toEqual(
      ['succeeded', 'dropped: a duplicate of a finished request'],
    )
  })

  it('of a flow: with the other requests that met it', async () => {
    const harness = await loggingHarness()
    const trip = defineFlow({
      name: 'trip',
      key: (payload) => payload.key,
      onConflict: 'drop',
      stages: {
        book: { schema: Booking, queueUrl: cloud.queueUrl('book') },
        ship: { schema: Shipping, queueUrl: cloud.queueUrl('ship'), final: true },
      },
      ...harness.options,
    })
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    const sentAt = harness.clock.now() - 10_000
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1', sentAt })
    await deliver(cloud, 'book', book)
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r2', sentAt: sentAt + 1 })
    const [second] = await receive(cloud, 'book')
    if (second === undefined) throw new Error('nothing came')
    await hand(cloud, 'book', [second], book)
    const file = await harness.written()
    const { out } = await harness.cli('explain', 'trip/k', '--log', file)
    expect(out).toContain('r1 holds the key')
    expect(out).toMatch(/table +trip +r1 +first sent/)
    expect(out).toMatch(/trip\.book +r1 +1 +succeeded/)
    expect(out).toMatch(
      /trip\.book +r2 +dropped: another request had the key .* +because of request r1;/,
    )
    const ofSecond = await harness.cli('explain', 'trip/k', '--request', 'r2', '--log', file)
    expect(ofSecond.out).not.toContain('succeeded')
    expect(ofSecond.out).toContain('because of request r1')
    const bare = await harness.cli('explain', 'r2', '--log', file)
    expect(bare.out).toContain('flow trip/k')
    expect(bare.out).toContain('if r2 is delivered now: dropped: another request held the key')
  })

  it('prints what only the log knows, and that the table has no such id', async () => {
    const harness = await operatorHarness(cloud)
    const line = { level: 'INFO', message: 'succeeded', consumer: 'gone', uniquerequestid: 'r7' }
    const { code, out, err } = await harness.piped(
      [JSON.stringify(line)],
      'explain',
      'r7',
      '--log',
      '-',
    )
    expect(code).toBe(0)
    expect(err).toContain('Not found: r7 in the table')
    expect(err).toContain('it has not arrived: ask its sender, and look at the filter policy')
    expect(err).toContain('is on its queue only: lineclear status names what is paused')
    expect(out).toMatch(/unknown +log +gone +succeeded/)
    expect(out).not.toContain('next: ')
    const dead = JSON.stringify({ ...line, message: 'dead-lettered without a run' })
    const refused = await harness.piped([dead], 'explain', 'gone/r7', '--log', '-')
    expect(refused.out).toMatch(/^next: lineclear dlq peek --id r7$/m)
    const nothing = await harness.piped(['x'], 'explain', 'r8', '--log', '-')
    expect(nothing.code).toBe(4)
    expect(nothing.out).toContain('0 of 1 log lines; 1 lines are not log entries')
  })

  it('lets no text move the cursor or forge a line, and shows no fields that handlers have logged', async () => {
    const harness = await operatorHarness(cloud)
    const message = 'working\u001b[2J\nforged'
    const line = { message, consumer: 'orders', uniquerequestid: 'r1', card: '4242' }
    const { out } = await harness.piped(
      [JSON.stringify(line)],
      'explain',
      'orders/r1',
      '--log',
      '-',
    )
    expect(out).not.toContain('\u001b')
    expect(out).toContain('<U+001B>[2J forged')
    expect(out).not.toContain('4242')
  })

  it('a file that is not there is a wrong argument', async () => {
    const harness = await operatorHarness(cloud)
    for (const file of ['/nowhere.log', place]) {
      const { code, err } = await harness.cli('explain', 'orders/r1', '--log', file)
      expect(code).toBe(2)
      expect(err).toContain('--log: expected a file that can be read')
    }
  })
})

describe('explain --local', () => {
  async function local(described: object, args: readonly string[], isTTY = false) {
    const cwd = await mkdtemp(join(place, 'local-'))
    await mkdir(join(cwd, '.lineclear'))
    await writeFile(join(cwd, '.lineclear/local.json'), JSON.stringify(described))
    const out: string[] = []
    const bar: string[] = []
    const code = await runCli(['--local', ...args], {
      out: (line) => void out.push(line),
      err: () => {},
      terminal: { isTTY, write: (text: string) => void bar.push(text) },
      stdin: Readable.from([]),
      width: undefined,
      env: {},
      cwd,
      clock: systemClock,
      user: () => 'operator',
      version: () => '1.2.3',
    })
    return { code, out: out.join('\n'), bar }
  }

  it('reads the log that the local cloud has written by itself, with a bar on a terminal', async () => {
    const harness = await takenTwice()
    const file = await harness.written()
    await writeFile(file, `${harness.lines.join('\n')}\n${'{"message":"other"}\n'.repeat(50_000)}`)
    const described = { ...cloud.endpoints, table: harness.tableName, log: file }
    const { code, out, bar } = await local(described, ['explain', 'tx-1'], true)
    expect(code).toBe(0)
    expect(out).not.toContain('Logs Insights')
    expect((await harness.cli('explain', 'orders/tx-1')).out).toContain('log, in Logs Insights')
    expect(out).toContain('dropped: a duplicate of a finished request')
    expect(bar.some((text) => text.startsWith('\rbytes of the log █'))).toBe(true)
    expect(bar.at(-1)).toBe('\r\u001b[K')
  })
})
