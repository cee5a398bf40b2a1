import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliver, emptyAll } from '../../flow/flowHarness.ts'
import { tripOn } from '../../flow/trip.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const PARKED = { sk: 'token', attemptId: 'a', attempt: 1, fence: 1, status: 'unknown' }

/** A run of a flow that waits in a step. */
async function waiting() {
  const harness = await operatorHarness(cloud)
  const trip = tripOn(cloud, harness as never)
  const book = trip.stageHandler('book', async (_booking, ctx) =>
    ctx.awaitStep('quote', 'q1', () => {}),
  )
  await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  await deliver(cloud, 'book', book)
  return harness
}

describe('decide with an id alone', () => {
  it('of a request says which decisions are possible, and what each would do', async () => {
    const { cli, store } = await operatorHarness(cloud)
    await store.create([{ ...PARKED, pk: 'lock#orders/r1', 'step:charge': 'start' }])
    const { code, out } = await cli('decide', 'orders/r1')
    expect(code).toBe(0)
    const listed = out.split('\n').filter((line) => line.startsWith('  lineclear'))
    expect(listed).toEqual([
      '  lineclear decide orders/r1 again --made charge=JSON',
      '  lineclear decide orders/r1 again --not-done charge',
      '  lineclear decide orders/r1 done',
    ])
    expect(out).toMatch(/^request orders\/r1\n/)
    expect(out).toContain("the call 'charge' counts as not made, and is made again")
    const { decisions } = JSON.parse((await cli('decide', 'orders/r1', '--json')).out) as {
      decisions: readonly object[]
    }
    expect(decisions).toMatchObject([
      { given: { decision: 'again', made: [{ before: 'charge=' }] } },
      { given: { decision: 'again', notDone: ['charge'] } },
      {
        given: { id: 'orders/r1', decision: 'done' },
        changes: [/ends as done/, /dropped/].map(text),
      },
    ])
    const explained = (await cli('explain', 'orders/r1')).out
    const commands = [...explained.matchAll(/lineclear decide \S+ (?:again --\S+ [^\s;]+|done)/g)]
    expect(commands.map(([command]) => `  ${command}`)).toEqual(listed)
  })

  it('of a flow names its steps, and changes nothing', async () => {
    const { cli, item } = await waiting()
    const before = await item('flow#trip/k', 'stage')
    const { out } = await cli('decide', 'trip/k')
    expect(out.split('\n').filter((line) => line.startsWith('  lineclear'))).toEqual([
      '  lineclear decide trip/k free',
      '  lineclear decide trip/k answer --step quote --answer JSON',
      '  lineclear decide trip/k timeout --step quote',
    ])
    expect(await item('flow#trip/k', 'stage')).toEqual(before)
  })

  it('of what ends by itself says so, and of what is not there too', async () => {
    const { cli, store } = await operatorHarness(cloud)
    await store.create([{ pk: 'once#mails/m1', sk: 'once', status: 'accepted' }])
    expect(await cli('decide', 'mails/m1')).toMatchObject({
      code: 0,
      out: expect.stringContaining('There is nothing to decide about it'),
    })
    expect(await cli('decide', 'mails/m2')).toMatchObject({ code: 4, out: '' })
  })
})

describe('a decision', () => {
  it('that does not fit is refused with those that fit', async () => {
    const { cli, apply, store } = await waiting()
    expect(await apply('decide', 'trip/k', 'done')).toMatchObject({
      code: 1,
      out: expect.stringContaining('there are free, again, drop, answer, timeout'),
    })
    await store.create([{ ...PARKED, pk: 'lock#orders/r1' }])
    expect(await cli('decide', 'orders/r1', 'timeout')).toMatchObject({
      code: 1,
      out: expect.stringContaining('there are done, free, again'),
    })
    expect(await cli('decide', 'orders/r1', 'again', '--keep', 'receipt')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--keep: not of this decision: again takes --not-done, --made'),
    })
  })

  it('that fits one of two items with the id is about that one', async () => {
    const { cli, store } = await waiting()
    await store.create([{ ...PARKED, pk: 'lock#trip/k' }])
    expect((await cli('decide', 'trip/k', 'done')).out).toContain('ends as done')
    const { code, out } = await cli('decide', 'trip/k', 'free')
    expect({ code, out }).toMatchObject({
      code: 1,
      out: expect.stringMatching(/name one of them, lock#trip\/k or flow#trip\/k/),
    })
    expect((await cli('decide', 'flow#trip/k', 'free')).out).toContain('the run of r1 ends')
    const listed = JSON.parse((await cli('decide', 'trip/k', '--json')).out) as {
      decisions: readonly { line: string }[]
    }
    const lines = listed.decisions.map(({ line }) => line.split(' ').slice(1))
    expect(lines.map(([, id]) => id)).toEqual([
      ...Array<string>(3).fill('lock#trip/k'),
      ...Array<string>(3).fill('flow#trip/k'),
    ])
    for (const line of lines.filter((words) => !words.includes('JSON'))) {
      expect(await cli(...line)).toMatchObject({ code: 0 })
    }
  })

  it('that is missing is no plan that is applied', async () => {
    const { cli, store } = await operatorHarness(cloud)
    await store.create([{ ...PARKED, pk: 'lock#orders/r1' }])
    for (const of of [['orders/r1'], []]) {
      expect(await cli('decide', ...of, '--apply', '7f3a91c2')).toMatchObject({
        code: 2,
        err: expect.stringContaining('--apply: expected a decision, got none'),
      })
    }
  })

  it('about the only step of a flow needs no name of it', async () => {
    const { apply, cli, item } = await waiting()
    expect(await apply('decide', 'trip/k', 'timeout')).toMatchObject({ code: 0 })
    expect(await item('flow#trip/k', 'await#quote#r1')).toMatchObject({
      operatorDid: 'decide timeout',
    })
    expect((await cli('decide', 'trip/k', 'drop')).out).toContain('--request UNIQUEREQUESTID')
  })
})

it('a step has to be named where a flow has several', async () => {
  const harness = await waiting()
  const {
    pk,
    sk: _,
    ...step
  } = { sk: '', pk: '', ...(await harness.item('flow#trip/k', 'await#quote#r1')) }
  await harness.store.create([{ ...step, pk, sk: 'await#hotel#r1' }])
  expect(await harness.apply('decide', 'trip/k', 'timeout')).toMatchObject({
    code: 1,
    out: expect.stringContaining('say --step hotel or --step quote'),
  })
})

it('a command that is printed has its options before the arguments that begin with a dash', async () => {
  const { cli, store } = await operatorHarness(cloud)
  await store.create([{ ...PARKED, pk: 'lock#-x/r1' }])
  const { out } = await cli('decide', '--', '-x/r1', 'done')
  const [, plan = ''] = /--by ann decide --apply (\w{8}) --why "…" -- -x\/r1 done$/.exec(out) ?? []
  expect(await cli('decide', '--apply', plan, '--', '-x/r1', 'done')).toMatchObject({ code: 0 })
})

it('a command in a refusal can be typed, whatever the id', async () => {
  const { cli, store } = await operatorHarness(cloud)
  const ids = ['-x/r1', 'a; rm/r 1']
  await store.create(ids.map((id) => ({ ...PARKED, pk: `lock#${id}`, 'step:charge': 'start' })))
  const [dashed, quoted] = await Promise.all(ids.map((id) => cli('decide', '--', id, 'free')))
  expect(dashed?.out).toContain('lineclear decide --made CALL=JSON -- -x/r1 again')
  expect(quoted?.out).toContain("lineclear decide 'a; rm/r 1' again --made CALL=JSON")
})

it('a group lists its decisions, and refuses those of a single item', async () => {
  const { cli, store } = await operatorHarness(cloud)
  const created = '2026-01-01T00:00:00.000Z'
  const index = {
    statusShard: 'unknown#0',
    dueAt: 1,
    reason: 'unknown',
    error: 'Error: no answer',
    created,
  }
  await store.create(
    ['r1', 'r2'].map((id) => ({
      ...PARKED,
      ...index,
      pk: `lock#orders/${id}`,
      'step:pay': 'start',
    })),
  )
  const { groups } = JSON.parse((await cli('decide', '--json')).out) as {
    groups: readonly { group: string; count: number }[]
  }
  const [{ group, count } = { group: '', count: 0 }] = groups
  expect(count).toBe(2)
  const listed = await cli('decide', group)
  expect(listed).toMatchObject({ code: 0 })
  const asJson = JSON.parse((await cli('decide', group, '--json')).out) as object
  expect(asJson).toMatchObject({ groups: [{ group, oldest: created }] })
  expect(listed.out).toContain(`lineclear decide ${group} free --not-done pay`)
  expect(await cli('decide', group, 'timeout')).toMatchObject({
    code: 1,
    out: expect.stringContaining('there are done, free, again, drop'),
  })
  expect(await cli('decide', group, 'again', '--step', 'quote')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--step: not of this decision'),
  })
  expect(await cli('decide', '0badc0de')).toMatchObject({ code: 4 })
})

it('a request that was ended as done is known as ended by an operator', async () => {
  const operatorDid = 'decide done'
  const { cli, store } = await operatorHarness(cloud)
  const { status: _, ...ended } = PARKED
  const did = { operatorDid, operatorBy: 'ann', operatorAt: '2026-01-01T00:00:00.000Z' }
  await store.create([{ ...ended, ...did, death: 1, pk: 'lock#orders/r1' }])
  const { out } = await cli('explain', 'orders/r1')
  expect(out).toContain('if its dead letter is still on its queue: lineclear dlq discard')
})

function text(part: RegExp): unknown {
  return expect.stringMatching(part)
}
