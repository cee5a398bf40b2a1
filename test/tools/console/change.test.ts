import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consumerOn, operatorHarness, startCloud } from '../cli/operatorHarness.ts'
import { hand, receive, send } from '../../flow/flowHarness.ts'
import { consoleHere } from './consoleHere.ts'
import { jsonOf, nothingFound, posted, served } from './served.ts'

const PLAN = '0123abcd'

/** Fakes of commands, and what they were given. */
function fakes(answers: Readonly<Record<string, unknown>> = {}) {
  const ran: (readonly string[])[] = []
  const again: typeof nothingFound = async (args, signal) => {
    ran.push(args)
    const answered = await nothingFound(args, signal)
    return { ...answered, answer: { ...answered.answer, ...answers } }
  }
  return { ran, again }
}

const RESOLVE = {
  action: 'decide',
  given: { id: 'orders/o-1', decision: 'done', result: { ok: true } },
}

describe('a console', () => {
  it('without --allow-changes has no route that changes something', async () => {
    const { ran, again } = fakes()
    await using server = await served({ again, canChange: false })
    for (const path of ['/api/plan', '/api/apply', '/api/stop']) {
      expect((await server.ask(path, posted({ ...RESOLVE, plan: PLAN }))).status).toBe(404)
      expect((await server.ask(path)).status).toBe(404)
    }
    expect(ran).toEqual([])
  })

  it('plans without --apply, and applies the plan that was shown', async () => {
    const { ran, again } = fakes({ plan: PLAN })
    await using server = await served({ again })
    const planned = await server.ask('/api/plan', posted(RESOLVE))
    expect(jsonOf(planned)).toMatchObject({ exit: 0, plan: PLAN, command: 'decide' })
    await server.ask(
      '/api/apply',
      posted({ ...RESOLVE, plan: PLAN, why: ' bank: INC-1 ', force: true }),
    )
    const args = ['decide', '--result={"ok":true}', 'orders/o-1', 'done']
    expect(ran).toEqual([args, [...args, `--apply=${PLAN}`, '--why=bank: INC-1', '--force']])
  })

  it.each([
    ['an action that is none', { action: 'undo', given: {} }],
    ['an action of every object', { action: 'constructor', given: {} }],
    ['a command in its place', { action: ['decide', 'done'], given: {} }],
    ['fields that are no object', { ...RESOLVE, given: ['--apply'] }],
    ['a field of another action', { ...RESOLVE, given: { id: 'a/b', rate: 5 } }],
    ['a plan that is none', { ...RESOLVE, plan: '--force' }],
    ['no plan', { ...RESOLVE, plan: undefined }],
    ['a reason of two lines', { ...RESOLVE, why: 'a\nb' }],
    ['a reason that is no text', { ...RESOLVE, why: ['a'] }],
    ['force that is no choice', { ...RESOLVE, force: 'yes' }],
    ['a word that it does not know', { ...RESOLVE, by: 'eve' }],
    ['the plan of an action without one', { action: 'sweep', given: {}, plan: PLAN }],
  ])('runs nothing for %s', async (_, body) => {
    const { ran, again } = fakes()
    await using server = await served({ again })
    const answered = await server.ask('/api/apply', posted({ plan: PLAN, ...body }))
    expect({ status: answered.status, ran }).toEqual({ status: 400, ran: [] })
  })

  it('runs what has no plan only when it is applied', async () => {
    const { ran, again } = fakes()
    await using server = await served({ again })
    for (const path of ['/api/plan', '/api/apply']) {
      await server.ask(path, posted({ action: 'sweep', given: { grace: '0s' } }))
    }
    expect(ran).toEqual([
      ['sweep', '--grace=0s'],
      ['sweep', '--grace=0s', '--apply'],
    ])
  })
})

describe('in an account', () => {
  const account = async () => {
    const { ran, again } = fakes()
    const session = async () => ({
      local: false,
      table: 'prod-lineclear',
      region: 'eu-central-1',
      account: '1',
      canChange: true,
      dev: false,
      live: false,
      version: '1',
      user: 'ann',
    })
    return { ran, server: await served({ again, session }) }
  }

  it.each([
    ['the name of the table is not typed', { why: 'INC-1' }],
    ['another name is typed', { why: 'INC-1', confirm: 'lineclear' }],
    ['the name is no text', { why: 'INC-1', confirm: ['prod-lineclear'] }],
    ['there is no reason', { confirm: 'prod-lineclear' }],
    ['the reason is of spaces', { confirm: 'prod-lineclear', why: '  ' }],
  ])('nothing is applied when %s', async (_, consent) => {
    const { ran, server } = await account()
    await using _stop = server
    const answered = await server.ask('/api/apply', posted({ ...RESOLVE, plan: PLAN, ...consent }))
    expect({ status: answered.status, ran }).toEqual({ status: 400, ran: [] })
  })

  it('a change with both is applied', async () => {
    const { ran, server } = await account()
    await using _stop = server
    const consent = { confirm: 'prod-lineclear', why: 'INC-1' }
    const answered = await server.ask('/api/apply', posted({ ...RESOLVE, plan: PLAN, ...consent }))
    expect(answered.status).toBe(200)
    expect(ran[0]).toContain('--why=INC-1')
  })
})

describe('a change that takes long', () => {
  const REDRIVE = { action: 'dlq.redrive', given: { queue: 'orders-dead' }, plan: PLAN }

  /** A redrive that ends when it is told to, or when the server stops. */
  async function slow() {
    const end = Promise.withResolvers<void>()
    const signals: AbortSignal[] = []
    const server = await served({
      patience: 5,
      again: async (args, signal) => {
        if (args.includes(`--apply=${PLAN}`) && signal !== undefined) {
          signals.push(signal)
          await Promise.race([
            end.promise,
            new Promise((resolve) => signal.addEventListener('abort', resolve)),
          ])
        }
        return nothingFound(args, signal)
      },
    })
    const progress = async (): Promise<unknown> =>
      jsonOf(await server.ask(`/api/overview?plan=${PLAN}`))['here']
    return { server, end: end.resolve, signals, progress }
  }

  it('runs on behind its answer, and is followed by its plan', async () => {
    const { server, end, progress } = await slow()
    await using _stop = server
    const answered = await server.ask('/api/apply', posted(REDRIVE))
    expect(answered.status).toBe(202)
    expect(jsonOf(answered)).toMatchObject({ plan: PLAN, running: true })
    expect(await progress()).toEqual({ running: true, stopping: false })
    end()
    await expect.poll(progress).toMatchObject({ running: false, body: { exit: 0, command: 'dlq' } })
  })

  it('ends at its next safe point when a person stops it, and no other one does', async () => {
    const { server, signals, progress } = await slow()
    await using _stop = server
    await server.ask('/api/apply', posted(REDRIVE))
    const others = await server.ask('/api/stop', posted({ plan: '89abcdef' }))
    expect(others.status).toBe(404)
    expect(jsonOf(others)).toMatchObject({ error: { message: expect.stringContaining('Ctrl-C') } })
    expect(signals[0]?.aborted).toBe(false)
    const stopped = await server.ask('/api/stop', posted({ plan: PLAN }))
    expect(stopped.status).toBe(202)
    expect(jsonOf(stopped)).toMatchObject({ plan: PLAN, stopping: true })
    expect(signals[0]?.aborted).toBe(true)
    await expect.poll(progress).toMatchObject({ running: false })
  })

  it.each([{}, { plan: 5 }, { plan: PLAN, force: true }])('is not stopped by %j', async (body) => {
    const { server, signals } = await slow()
    await using _stop = server
    await server.ask('/api/apply', posted(REDRIVE))
    expect((await server.ask('/api/stop', posted(body))).status).toBe(400)
    expect(signals[0]?.aborted).toBe(false)
  })

  it.each([
    ['a decision about a group', '0123cdef', 202],
    ['a decision about one request', 'orders/o-1', 200],
  ])('%s ends with %s: %i', async (_, id, status) => {
    const { server, end } = await slow()
    await using _stop = server
    const decision = { action: 'decide', given: { id, decision: 'done' }, plan: PLAN }
    const answered = server.ask('/api/apply', posted(decision))
    if (status === 202) await answered
    end()
    expect((await answered).status).toBe(status)
  })

  it('is applied once at a time', async () => {
    const { server, end, signals } = await slow()
    await using _stop = server
    const first = await server.ask('/api/apply', posted(REDRIVE))
    const second = await server.ask('/api/apply', posted(REDRIVE))
    const resumed = await server.ask(
      '/api/apply',
      posted({ action: 'dlq.redrive', given: { continue: PLAN }, plan: PLAN }),
    )
    expect([first, second, resumed].map(({ status }) => status)).toEqual([202, 409, 409])
    expect(signals).toHaveLength(1)
    end()
  })

  it('ends at its next safe point when the console is stopped, which waits for it', async () => {
    const { server, signals } = await slow()
    await server.ask('/api/apply', posted(REDRIVE))
    expect(signals[0]?.aborted).toBe(false)
    await server.stop()
    expect(signals[0]?.aborted).toBe(true)
  })

  it('goes on when its page goes away, whereas a look ends', async () => {
    const signals = new Map<string, AbortSignal>()
    const begun = Promise.withResolvers<void>()
    await using server = await served({
      again: async (args, signal) => {
        if (signal !== undefined) signals.set(args.join(' '), signal)
        if (args.includes('--history')) {
          begun.resolve()
          await new Promise((resolve) => signal?.addEventListener('abort', resolve))
        }
        return nothingFound(args, signal)
      },
    })
    const leave = new AbortController()
    const asked = fetch(`http://127.0.0.1:${server.port}/api/request?history=1`, {
      headers: { 'x-lineclear-token': server.token },
      signal: leave.signal,
    })
    await begun.promise
    leave.abort()
    await expect(asked).rejects.toThrow('aborted')
    await expect.poll(() => signals.get('explain --history')?.aborted).toBe(true)
    await server.ask('/api/apply', posted(REDRIVE))
    expect(signals.get(`dlq redrive orders-dead --apply=${PLAN}`)?.aborted).toBe(false)
  })
})

describe('looks at dead letters', () => {
  it('wait for each other, since each would hide them from the other', async () => {
    let most = 0
    let now = 0
    await using server = await served({
      again: async (args, signal) => {
        now += 1
        most = Math.max(most, now)
        // Long enough for the others to begin meanwhile, if they may.
        await new Promise((resolve) => setTimeout(resolve, 20))
        now -= 1
        return nothingFound(args, signal)
      },
    })
    const paths = ['/api/overview', '/api/groups', '/api/letters', '/api/groups?queue=a']
    await Promise.all(paths.map(async (path) => server.ask(path)))
    expect(most).toBe(1)
  })
})

const hangUp = async (): Promise<never> => {
  throw new Error('socket hang up')
}

describe('on a table', () => {
  let cloud: LocalCloud
  beforeAll(async () => {
    cloud = await startCloud()
  })
  afterAll(() => cloud.stop())

  it('a request is ended as done: planned, applied once, and in the audit', async () => {
    const office = await operatorHarness(cloud)
    const handler = consumerOn(office, async (_payload, ctx) => {
      await ctx.call('charge', hangUp, { ifUnknown: 'stop' })
    })
    await send(cloud, 'book', { n: 1 })
    const [record] = await receive(cloud, 'book')
    if (record === undefined) throw new Error('nothing came')
    await hand(cloud, 'book', [record], handler)
    const id = `orders/${record.messageId}`
    const console = await consoleHere(office, cloud, '--allow-changes')
    const post = async (path: string, body: object) => {
      const response = await fetch(`${console.origin}/api/${path}`, {
        method: 'POST',
        headers: { 'x-lineclear-token': console.token, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return (await response.json()) as Readonly<Record<string, unknown>>
    }
    const change = { action: 'decide', given: { id, decision: 'done' } }
    const { plan, line } = await post('plan', change)
    expect(line).toBe(`lineclear decide ${id} done --table ${office.tableName}`)
    const consent = { plan, confirm: office.tableName, why: 'INC-1' }
    expect(await post('apply', { ...change, ...consent })).toMatchObject({ outcome: 'applied' })
    expect(await post('apply', { ...change, ...consent })).toMatchObject({ outcome: 'nothing' })
    const { json } = await console.get('request?history=1')
    expect(json['entries']).toMatchObject([
      { action: 'decide done', by: 'ann', id, why: 'INC-1', plan, result: 'applied' },
    ])
    await console.stop()
  })
})
