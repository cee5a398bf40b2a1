import { TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliver, emptyAll, send } from '../../flow/flowHarness.ts'
import { consumerOn, operatorHarness, startCloud } from './operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

/** A consumer of a bank that hangs up: the outcome of each charge is unknown. */
async function unknownCharges(number: number) {
  const harness = await operatorHarness(cloud)
  const state = { broken: true, calls: [] as string[], done: [] as string[] }
  const handler = consumerOn(harness, async (_payload, ctx) => {
    const id = ctx.uniqueRequestId
    const charge = () => {
      state.calls.push(id)
      if (state.broken) throw new Error(`order ${state.calls.length}: socket hang up`)
      return 'paid'
    }
    await ctx.call('charge', charge, { ifUnknown: 'stop' })
    state.done.push(id)
  })
  const arrive = async (many: number): Promise<void> => {
    for (let n = 0; n < many; n++) await send(cloud, 'book', { n })
    await deliver(cloud, 'book', handler)
  }
  await arrive(number)
  const { groups } = JSON.parse((await harness.cli('decide', '--json')).out) as {
    groups: readonly { group: string; count: number; example: string }[]
  }
  return { ...harness, state, arrive, work: () => deliver(cloud, 'book', handler), groups }
}

const planOf = ({ out }: { readonly out: string }) =>
  JSON.parse(out) as {
    plan: string
    outcome: string
    changed: string[]
    left: { id: string; because: string }[]
    already: number
  }

describe('decide', () => {
  it('shows what waits, under the names that the dead letters have', async () => {
    const { cli, groups } = await unknownCharges(3)
    expect(groups).toEqual([
      expect.objectContaining({ count: 3, of: 'orders', reason: 'unknown', calls: ['charge'] }),
    ])
    const dead = JSON.parse((await cli('dlq', 'groups', 'dead', '--json')).out) as {
      groups: readonly { group: string; count: number }[]
    }
    expect(dead.groups).toMatchObject([{ group: groups[0]?.group, count: 3 }])
    const { code, out } = await cli('decide')
    expect(code).toBe(0)
    expect(out).toMatch(/^GROUP +COUNT +OF +REASON +CALLS +ERROR/)
    expect(out).toMatch(new RegExp(`${groups[0]?.group} +3 +orders +unknown +charge `))
  })

  it.each([['done'], ['free', '--not-done', 'charge']])(
    'says of all requests at once what becomes of them: %s',
    async (...decision) => {
      const { cli, groups } = await unknownCharges(3)
      const { out } = await cli('decide', groups[0]?.group ?? '', ...decision, '--json')
      const { changes } = JSON.parse(out) as { changes: readonly string[] }
      expect(changes.filter((text) => text.includes('--id'))).toEqual([
        expect.stringMatching(/ead letter.*: lineclear dlq (discard|redrive) --all --id ID(;|$)/),
      ])
    },
  )

  it('is empty when nothing waits', async () => {
    const { cli } = await operatorHarness(cloud)
    expect(await cli('decide')).toMatchObject({
      code: 0,
      out: 'No request or key waits for an operator.',
    })
  })
})

describe('a group', () => {
  it('is resolved by one plan; what has changed or has come since is left, and listed', async () => {
    const { cli, item, arrive, groups, state } = await unknownCharges(4)
    const group = groups[0]?.group ?? ''
    const resolve = ['decide', group, 'done'] as const
    const shown = await cli(...resolve)
    expect(shown).toMatchObject({ code: 0, err: '' })
    expect(shown.out).toMatch(/^decide done group \w+\n[^]*\n4 would be changed\n {2}orders\//)
    expect(shown.out).toContain('then: ends as done')
    const { plan, changed } = planOf(await cli(...resolve, '--json'))
    expect(shown.out).toContain(`decide ${group} done --apply ${plan}`)
    const [released = ''] = changed
    const release = ['decide', released, 'free', '--not-done', 'charge'] as const
    await cli(...release, '--apply', planOf(await cli(...release, '--json')).plan)
    await arrive(1)

    const applied = await cli(...resolve, '--apply', plan, '--why', 'the bank says so')
    expect(applied.code).toBe(1)
    expect(applied.out).toContain('3 changed')
    expect(applied.out).toContain(
      `1 left as they are:\n  ${released}: it has changed since the plan was made`,
    )
    expect(applied.out).toContain(`lineclear dlq discard --all --group ${group}`)
    for (const id of changed.slice(1)) {
      expect(await item(`lock#${id}`, 'token')).toMatchObject({
        operatorDid: 'decide done',
        operatorBy: 'ann',
        operatorWhy: 'the bank says so',
      })
    }
    expect(await item(`lock#${released}`, 'token')).toMatchObject({ status: 'inProgress' })
    expect(await cli('ls', '--status', 'unknown')).toMatchObject({
      out: expect.stringContaining('1 in total'),
    })

    const again = planOf(await cli(...resolve, '--apply', plan, '--json'))
    expect(again).toMatchObject({ changed: [], already: 3, left: [{ id: released }] })
    const { out } = await cli('explain', '--history', '--action', 'decide done')
    expect(out).toMatch(new RegExp(`group ${group} +${plan} +incomplete: 3 of 4 +the bank says so`))
    expect(state.calls).toHaveLength(5)
  })

  it('that was not made is reopened as that, and runs once when it is redriven', async () => {
    const { cli, apply, work, groups, state } = await unknownCharges(3)
    const group = groups[0]?.group ?? ''
    state.broken = false
    const reopen = await apply('decide', group, 'again', '--not-done', 'charge')
    expect(reopen).toMatchObject({ code: 0 })
    expect(reopen.out).toContain(`To run them again: lineclear dlq redrive --all --group ${group}`)
    const redrive = ['dlq', 'redrive', '--all', '--group', group, '--to', 'book', '--no-ramp']
    expect(await apply(...redrive)).toMatchObject({ code: 0 })
    await work()
    expect(state.done.toSorted()).toEqual([...new Set(state.done)].toSorted())
    expect(state.done).toHaveLength(3)
    expect(await cli('ls')).toMatchObject({ out: expect.stringMatching(/^Nothing is open/) })
  })

  it('that was made is reopened with its result, which the plan does not keep', async () => {
    const { cli, apply, item, work, groups, state } = await unknownCharges(2)
    const group = groups[0]?.group ?? ''
    const reopen = ['decide', group, 'again', '--made', 'charge="receipt 4711"']
    const { plan } = planOf(await cli(...reopen, '--json'))
    const other = [...reopen.slice(0, -1), 'charge="receipt 4712"']
    expect(await cli(...other, '--apply', plan)).toMatchObject({
      code: 1,
      out: expect.stringContaining('is of another command'),
    })
    expect(await cli(...reopen, '--apply', plan)).toMatchObject({ code: 0 })
    expect(JSON.stringify(await item(`operation#${plan}`, 'plan'))).not.toMatch(/471[12]/)
    await apply('dlq', 'redrive', '--all', '--to', 'book', '--no-ramp')
    await work()
    expect(state.calls).toHaveLength(2)
    expect(state.done).toHaveLength(2)
  })

  it('is not released without saying what happened', async () => {
    const { cli, groups } = await unknownCharges(2)
    const release = ['decide', groups[0]?.group ?? '', 'free'] as const
    const { code, out } = await cli(...release)
    expect(code).toBe(1)
    expect(out).toContain('0 would be changed\n2 left as they are:')
    expect(out).toContain("the outcome of the call 'charge' is not known")
  })

  it('that does not exist ends with 4', async () => {
    const { cli } = await operatorHarness(cloud)
    expect(await cli('decide', '0badc0de', 'done')).toMatchObject({
      code: 4,
      out: expect.stringContaining('lineclear decide lists the groups'),
    })
  })

  it('of requests that have failed is resolved with an error of its own', async () => {
    const harness = await operatorHarness(cloud)
    const handler = consumerOn(harness, () => {
      throw new TerminalError('no stock')
    })
    await send(cloud, 'book', {})
    await deliver(cloud, 'book', handler)
    const { groups } = JSON.parse((await harness.cli('decide', '--json')).out) as {
      groups: readonly { group: string }[]
    }
    const group = groups[0]?.group ?? ''
    const done = await harness.apply('decide', group, 'done', '--error', 'sold out')
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining('ends as failed') })
    const shown = planOf(await harness.cli('decide', group, 'done', '--json'))
    expect(shown.outcome).toBe('missing')
  })
})
