import type { LocalCloud } from 'lineclear/local'
import { sweepHandler, TerminalError } from 'lineclear'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliver } from '../../deliver/deliver.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { send } from '../../flow/flowHarness.ts'
import { awsError, fakeMapping, FakeMappings } from '../operator/fakeMappings.ts'
import { consumerOn, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

const HOUR = 3_600_000

async function account(...names: readonly string[]) {
  const lambda = new FakeMappings(...names.map((name) => fakeMapping(name)))
  const harness = await operatorHarness(cloud, lambda)
  const row = async (name: string) => harness.item('pauses', `uuid-${name}`)
  const logger = quietLogger()
  const { store, clock } = harness
  const sweep = (permitted: boolean) =>
    sweepHandler({
      store,
      clock,
      logger,
      clients: { sqs: cloud.sqs },
      lambda: permitted ? lambda : undefined,
    })()
  const listed = async () => (await harness.cli('pause')).out
  const audit = async () => {
    const { out } = await harness.cli('explain', '--history', '--json')
    return (JSON.parse(out) as { entries: Record<string, string>[] }).entries
  }
  return { ...harness, lambda, row, sweep, listed, audit, lines: logger.lines }
}

const CHARGE = 'arn:aws:lambda:us-east-1:000000000000:function:charge:live'
const PAY = ['--queue', 'pay'] as const

describe('lineclear pause', () => {
  it('shows what is disabled, until when, and what waiting means; and does it by the name of the plan', async () => {
    const { cli, apply, lambda, row, listed, clock } = await account('pay', 'book')
    const shown = await cli('pause', ...PAY, '--for', '2h')
    expect(shown).toMatchObject({ code: 0 })
    expect(shown.out).toContain('pause  pay (queue pay)  uuid-pay: it is enabled')
    expect(shown.out).toContain('pay: SQS deletes messages 4 days after they were sent')
    expect(shown.out).toContain('giveUpAfter of a flow')
    expect(lambda.calls).toEqual([])
    expect(await row('pay')).toBeUndefined()
    const done = await apply('pause', ...PAY, '--for', '2h', '--why', 'bank is down')
    expect(done).toMatchObject({ code: 0 })
    expect(lambda.calls).toEqual(['disable uuid-pay'])
    expect(lambda.stateOf('book')).toBe('Enabled')
    expect(await row('pay')).toMatchObject({
      st: 'paused',
      by: 'ann',
      why: 'bank is down',
      until: clock.now() + 2 * HOUR,
    })
    expect(await listed()).toMatch(/^pay \(queue pay\): paused by ann until .*bank is down/)
    expect((await cli('explain', '--history', '--action', 'pause')).out).toMatch(
      /pause +pay pay uuid-pay +\w{8} +done/,
    )
  })

  it('is not made again by a plan that was applied and resumed', async () => {
    const { cli, apply, lambda, listed } = await account('pay')
    const shown = await cli('pause', ...PAY, '--for', '1h')
    const [, name = ''] = /--apply ([\da-f]{8})/.exec(shown.out) ?? []
    const typed = ['pause', ...PAY, '--for', '1h', '--apply', name]
    expect(await cli(...typed)).toMatchObject({ code: 0 })
    await apply('resume', ...PAY)
    const again = await cli(...typed)
    expect(again).toMatchObject({ code: 1 })
    expect(again.out).toContain(`This is not the plan ${name}`)
    expect(await listed()).toBe('Nothing is paused.')
    expect(lambda.calls).toEqual(['disable uuid-pay', 'enable uuid-pay'])
  })

  it('is shown by status, ls and explain; when it should have ended, status counts it as wrong', async () => {
    const { apply, cli, lambda, clock, store } = await account('pay')
    lambda.tags['pay'] = { 'lineclear:consumer': 'orders' }
    const token = { sk: 'token', status: 'error', attemptId: 'a', attempt: 3, fence: 3, death: 1 }
    await store.create([
      { pk: 'lock#orders/r1', ...token },
      { pk: 'lock#mails/r1', ...token },
    ])
    await apply('pause', '--consumer', 'orders', '--for', '1h', '--why', 'bank is down')
    const status = await cli('status', '--no-queues')
    expect(status).toMatchObject({ code: 0 })
    expect(status.out).toContain('paused  1 of orders (queue pay)')
    expect(status.out).toContain('next: lineclear resume --mapping uuid-pay')
    expect((await cli('ls')).out).toContain('orders (queue pay): paused by ann until')
    expect((await cli('explain', 'orders/r1')).out).toContain('paused by ann until')
    expect((await cli('explain', 'mails/r1')).out).not.toContain('paused by')
    expect(JSON.parse((await cli('ls', '--json')).out)).toMatchObject({
      pauses: [{ mapping: 'uuid-pay', consumer: 'orders', state: 'paused', by: 'ann' }],
    })
    clock.advance(2 * HOUR)
    const late = await cli('status', '--no-queues')
    expect(late).toMatchObject({ code: 1 })
    expect(late.out).toContain('the sweeper has not resumed it')
  })

  it('is applied under no other name', async () => {
    const { cli, lambda } = await account('pay')
    expect(await cli('pause', ...PAY, '--for', '2h', '--apply', '01234567')).toMatchObject({
      code: 1,
    })
    expect(await cli('pause', ...PAY, '--for', '2h', '--apply')).toMatchObject({ code: 1 })
    expect(lambda.calls).toEqual([])
  })

  it('finds all consumers of a dependency, and the stages of a flow, by tags', async () => {
    const { apply, cli, lambda } = await account('pay', 'book', 'ship')
    lambda.tags['pay'] = { 'lineclear:flow': 'checkout', 'lineclear:dependency': 'bank mail' }
    lambda.tags['ship'] = { 'lineclear:consumer': 'parcels', 'lineclear:dependency': 'bank' }
    const misspelled = await apply('pause', '--dependency', 'ban', '--no-end')
    expect(misspelled).toMatchObject({ code: 4, out: expect.stringContaining('Not found') })
    expect(lambda.calls).toEqual([])
    await apply('pause', '--dependency', 'bank', '--no-end')
    expect(lambda.calls).toEqual(['disable uuid-pay', 'disable uuid-ship'])
    expect((await cli('pause')).out).toContain(
      'flow checkout (queue pay): paused by ann until it is resumed',
    )
    await apply('resume', '--flow', 'checkout')
    expect(lambda.stateOf('pay')).toBe('Enabled')
    expect(lambda.stateOf('ship')).toBe('Disabled')
    await apply('resume', '--all')
    expect(lambda.stateOf('ship')).toBe('Enabled')
  })

  it.each(['mapping', 'function', 'consumer', 'flow', 'dependency', 'queue'])(
    'and resume do not find a misspelled --%s, and know one that is not paused',
    async (by) => {
      const { cli, lambda } = await account('pay')
      const names = { consumer: 'orders', flow: 'checkout', dependency: 'bank' }
      lambda.tags['pay'] = Object.fromEntries(
        Object.entries(names).map(([name, value]) => [`lineclear:${name}`, value]),
      )
      const known = { ...names, mapping: 'uuid-pay', function: 'pay', queue: 'pay' }[by] ?? ''
      for (const command of [['pause', '--no-end'], ['resume']]) {
        const misspelled = await cli(...command, `--${by}`, `${known}x`)
        expect(misspelled).toMatchObject({ code: 4 })
        expect(`${misspelled.out}${misspelled.err}`).toMatch(/not found|no queue/i)
      }
      expect(await cli('resume', `--${by}`, known)).toMatchObject({ code: 0 })
      expect(lambda.calls).toEqual([])
    },
  )

  it('finds one stage by the name that its circuit breaker has', async () => {
    const { apply, lambda, listed } = await account('pay', 'book')
    const tags = { 'lineclear:flow': 'checkout' }
    lambda.tags['pay'] = { ...tags, 'lineclear:stage': 'pay' }
    lambda.tags['book'] = { ...tags, 'lineclear:stage': 'book' }
    await apply('pause', '--consumer', 'checkout.pay', '--for', '1h')
    expect(lambda.calls).toEqual(['disable uuid-pay'])
    expect(await listed()).toMatch(/^checkout\.pay \(queue pay\): paused by ann/)
    await apply('resume', '--flow', 'checkout')
    expect(lambda.stateOf('pay')).toBe('Enabled')
  })

  it('does not touch what was disabled elsewhere, and resume does not enable it', async () => {
    const { cli, apply, lambda, row } = await account('pay')
    lambda.set('pay', 'Disabled')
    const shown = await cli('pause', ...PAY, '--for', '2h')
    expect(shown).toMatchObject({ code: 0 })
    expect(shown.out).toContain('it was disabled elsewhere')
    const resumed = await cli('resume', ...PAY)
    expect(resumed).toMatchObject({ code: 0 })
    expect(resumed.out).toMatch(
      /is Disabled: aws lambda update-event-source-mapping --uuid \S+ --enabled/,
    )
    expect(await apply('resume', ...PAY)).toMatchObject({ code: 0 })
    expect(lambda.calls).toEqual([])
    expect(await row('pay')).toBeUndefined()
  })

  it('twice: the second one changes the end and the reason', async () => {
    const { apply, lambda, row, clock } = await account('pay')
    await apply('pause', ...PAY, '--for', '1h')
    const again = await apply('pause', ...PAY, '--for', '3h', '--by', 'bob', '--why', 'still down')
    expect(again).toMatchObject({ code: 0 })
    expect(await row('pay')).toMatchObject({ by: 'bob', until: clock.now() + 3 * HOUR })
    expect(lambda.stateOf('pay')).toBe('Disabled')
  })

  it('is pausable again after a resume', async () => {
    const { apply, lambda, row } = await account('pay')
    await apply('pause', ...PAY, '--for', '1h')
    await apply('resume', ...PAY)
    expect(await row('pay')).toMatchObject({ st: 'resumed', resumedBy: 'ann' })
    expect(await row('pay')).not.toHaveProperty('statusShard')
    await apply('pause', ...PAY, '--no-end')
    expect(lambda.stateOf('pay')).toBe('Disabled')
    expect(await row('pay')).toMatchObject({ st: 'paused' })
    expect(await row('pay')).not.toHaveProperty('ttl')
    expect(await row('pay')).not.toHaveProperty('until')
  })

  it('waits while Lambda changes the mapping (409), and refuses to guess what it will be', async () => {
    const { cli, apply, lambda } = await account('pay')
    lambda.errors.push(awsError('ResourceInUseException'), awsError('ResourceInUseException'))
    expect(await apply('pause', ...PAY, '--for', '1h')).toMatchObject({ code: 0 })
    expect(lambda.calls).toHaveLength(3)
    await apply('resume', ...PAY)
    lambda.set('pay', 'Updating')
    const refused = await cli('pause', ...PAY, '--for', '1h')
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.out).toContain('Lambda is changing a mapping')
  })

  it('without the permission nothing is paused, and nothing says so', async () => {
    const { apply, cli, lambda, row, listed } = await account('pay')
    lambda.errors.push(awsError('AccessDeniedException'))
    const denied = await apply('pause', ...PAY, '--for', '1h')
    expect(denied).toMatchObject({ code: 3 })
    expect(denied.err).toContain('lack a permission')
    expect(await row('pay')).toMatchObject({ st: 'resumed' })
    expect(await listed()).toBe('Nothing is paused.')
    expect((await cli('explain', '--history')).out).toContain('failed')
  })

  it('after a lost answer the list says that it was not finished; typed again it is', async () => {
    const { apply, lambda, listed } = await account('pay')
    lambda.errors.push(awsError('TimeoutError'))
    expect(await apply('pause', ...PAY, '--for', '1h')).toMatchObject({ code: 3 })
    expect(await listed()).toContain('pausing: begun by ann and not finished')
    expect(await apply('pause', ...PAY, '--for', '1h')).toMatchObject({ code: 0 })
    expect(await listed()).toContain('paused by ann')
  })

  it('refuses to last longer than the queue keeps messages', async () => {
    const { apply, cli, lambda } = await account('pay')
    const long = await cli('pause', ...PAY, '--for', '5d')
    expect(long).toMatchObject({ code: 1 })
    expect(long.out).toContain('longer than pay keeps messages')
    await apply('pause', ...PAY, '--for', '5d', '--force')
    expect(lambda.stateOf('pay')).toBe('Disabled')
  })

  it.each([
    [[...PAY], 'expected one of --for TIME, --until TIME and --no-end; got none'],
    [[...PAY, '--for', '1h', '--no-end'], 'got 2'],
    [[...PAY, '--until', 'tomorrow'], '--until: expected a time to come in ISO 8601'],
    [[...PAY, '--until', '2001-01-01T00:00Z'], '--until: expected a time to come'],
    [[...PAY, '--flow', 'checkout', '--no-end'], 'got --queue and --flow'],
    [['--no-end'], 'expected one of --mapping'],
    [['pay', '--no-end'], 'pay'],
  ])('refuses %j', async (args, said) => {
    const { cli, lambda } = await account('pay')
    const refused = await cli('pause', ...args)
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.err).toContain(said)
    expect(lambda.calls).toEqual([])
  })

  it('shows reasons on one line, without moving the cursor', async () => {
    const { apply, listed } = await account('pay')
    await apply('pause', ...PAY, '--no-end', '--why', 'bank\n\u001B[2Jis down')
    expect(await listed()).toContain('bank <U+001B>[2Jis down')
    expect((await listed()).split('\n')).toHaveLength(1)
  })

  it('without a client of Lambda says what to install', async () => {
    const { cli } = await operatorHarness(cloud, undefined)
    const local = await cli('pause', ...PAY, '--no-end', '--local')
    expect(local).toMatchObject({ code: 2 })
  })
})

describe('the end of a pause', () => {
  it('is made by the sweeper, and not before', async () => {
    const { apply, lambda, sweep, clock, row, listed, audit } = await account('pay')
    await apply('pause', ...PAY, '--for', '1h')
    clock.advance(HOUR - 1_000)
    expect(await sweep(true)).not.toHaveProperty('resumed')
    clock.advance(2_000)
    expect(await sweep(true)).toMatchObject({ resumed: 1 })
    expect(lambda.calls).toEqual(['disable uuid-pay', 'enable uuid-pay'])
    expect(await row('pay')).toMatchObject({ st: 'resumed', resumedBy: 'sweeper' })
    expect(await listed()).toBe('Nothing is paused.')
    expect(await sweep(true)).not.toHaveProperty('resumed')
    const [resumed, paused] = await audit()
    expect(resumed).toMatchObject({
      by: 'sweeper',
      action: 'resume',
      id: 'pay pay uuid-pay',
      result: 'done',
      why: expect.stringContaining('the time of the pause is over (ann: '),
    })
    expect(paused).toMatchObject({ by: 'ann', action: 'pause' })
  })

  it('is in the preview of a sweep, also beside what waits for an operator', async () => {
    const harness = await account('pay')
    const { apply, cli, clock, lambda } = harness
    await apply('pause', ...PAY, '--for', '1h')
    clock.advance(HOUR - 120_000)
    expect((await cli('sweep')).out).toContain('Nothing to do: nothing is due.')
    const orders = consumerOn(harness, () => Promise.reject(new TerminalError('no')))
    await send(cloud, 'book', { orderId: 'o1' })
    await deliver(cloud, 'book', orders)
    clock.advance(121_000)
    const { out } = await cli('sweep')
    expect(out).toContain('1 error\n1 paused, to be resumed')
    expect(out).toMatch(/sweep --apply$/)
    await cli('sweep', '--apply')
    expect(lambda.stateOf('pay')).toBe('Enabled')
    expect((await cli('sweep')).out).toContain('waits for an operator')
  })

  it('stands in the audit under the function, the queue and the mapping', async () => {
    const { apply, cli, lambda } = await account('pay', 'book')
    const [mapping] = lambda.mappings
    lambda.mappings[0] = { ...(mapping ?? fakeMapping('pay')), FunctionArn: CHARGE }
    await apply('pause', ...PAY, '--no-end')
    await apply('resume', ...PAY)
    for (const id of ['charge', 'pay', 'uuid-pay']) {
      const { out } = await cli('explain', '--history', id)
      expect(out.match(/(pause|resume) +charge pay uuid-pay /g)).toHaveLength(2)
    }
    expect((await cli('explain', '--history', 'book')).out).toContain('No change')
  })

  it('is recorded at the first try and when it succeeds, not at each of many tries', async () => {
    const { apply, lambda, sweep, clock, audit } = await account('pay')
    await apply('pause', ...PAY, '--for', '1h')
    clock.advance(2 * HOUR)
    for (let nth = 0; nth < 5; nth++) {
      lambda.errors.push(awsError('AccessDeniedException'))
      await sweep(true)
      clock.advance(60_000)
    }
    expect((await audit()).map(({ result }) => result)).toEqual([
      'failed: AccessDeniedException: AccessDeniedException of AWS',
      'done',
    ])
    await sweep(true)
    expect((await audit()).map(({ by, result }) => `${by}: ${result}`)).toEqual([
      'sweeper: done',
      'sweeper: failed: AccessDeniedException: AccessDeniedException of AWS',
      'ann: done',
    ])
  })

  it.each([
    ['has no client', false, [], 'the sweeper has no option lambda'],
    ['has no permission', true, [awsError('AccessDeniedException')], 'could not be enabled'],
    ['finds the mapping busy', true, [awsError('ResourceInUseException')], 'could not be enabled'],
  ])('is an error in the log of a sweeper that %s', async (_what, client, errors, said) => {
    const { apply, lambda, sweep, clock, lines, listed } = await account('pay')
    await apply('pause', ...PAY, '--for', '1h')
    clock.advance(2 * HOUR)
    lambda.errors.push(...errors)
    await sweep(client)
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: expect.stringContaining(said), mapping: 'uuid-pay', by: 'ann' },
    ])
    expect(lambda.stateOf('pay')).toBe('Disabled')
    expect(await listed()).toMatch(/not (resumed|finished)/)
    expect(await sweep(true)).toMatchObject({ resumed: 1 })
  })

  it('of a mapping that was deleted ends the row', async () => {
    const { apply, lambda, sweep, clock, row } = await account('pay')
    await apply('pause', ...PAY, '--for', '1h')
    lambda.mappings.length = 0
    clock.advance(2 * HOUR)
    await sweep(true)
    expect(await row('pay')).toMatchObject({ st: 'resumed' })
  })
})
