import { tableDefinition } from 'lineclear/dynamodb'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { emptyAll, sendDeadLetter, startDlqCloud } from '../operator/dlqHarness.ts'
import { run } from './runHere.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startDlqCloud({ lineclear: tableDefinition() })
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const type = async (args: readonly string[], interrupt?: AbortSignal) =>
  run(args, { sqs: cloud.sqs, dynamodb: cloud.dynamodb, ...(interrupt && { interrupt }) })

async function planOf(...args: readonly string[]): Promise<string> {
  const { plan } = JSON.parse((await type([...args, '--json'])).out) as { plan: string }
  return plan
}

/** As the audit keeps them, the oldest first. */
async function reasonsOf(plan: string): Promise<readonly string[]> {
  const { out } = await type(['explain', '--history', '--json'])
  const { entries } = JSON.parse(out) as { entries: readonly { plan: string; why: string }[] }
  return entries
    .filter((each) => each.plan === plan)
    .map(({ why }) => why)
    .toReversed()
}

const stopped = AbortSignal.abort()

async function threeLetters(): Promise<void> {
  for (let n = 0; n < 3; n++) {
    await sendDeadLetter(cloud, { n }, { id: `r${n}`, reason: 'rejected', death: 0 })
  }
}

/** Begins the plan of a command for a reason, and is interrupted. */
async function begun(...typed: readonly string[]) {
  await threeLetters()
  const plan = await planOf(...typed)
  const paused = await type([...typed, '--apply', plan, '--why', 'INC-114'], stopped)
  expect(paused).toMatchObject({ code: 1, out: expect.stringContaining('Paused. To continue:') })
  expect((await type(['status', '--plan', plan])).out).toMatch(/by operator, .*: INC-114/)
  return plan
}

const REDRIVE = ['dlq', 'redrive', 'dead', '--to', 'orders', '--no-ramp'] as const

describe('a plan that was stopped goes on with its reason', () => {
  it('by --continue, whose line asks for none', async () => {
    const plan = await begun(...REDRIVE)
    const goesOn = ['dlq', 'redrive', '--continue', plan]
    expect((await type(goesOn)).out).not.toContain('--why')
    expect((await type([...goesOn, '--apply', plan])).code).toBe(0)
    expect(await reasonsOf(plan)).toEqual(['INC-114', 'INC-114'])
  })

  it('by the command that is typed again', async () => {
    const typed = ['dlq', 'discard', 'dead']
    const plan = await begun(...typed)
    expect((await type([...typed, '--apply', plan])).code).toBe(0)
    expect(await reasonsOf(plan)).toEqual(['INC-114', 'INC-114'])
  })

  it('or for another reason, if one is given', async () => {
    const plan = await begun(...REDRIVE, '--rate', '9')
    const goesOn = ['dlq', 'redrive', '--continue', plan, '--apply', plan]
    expect((await type([...goesOn, '--why', 'INC-115'])).code).toBe(0)
    expect(await reasonsOf(plan)).toEqual(['INC-114', 'INC-115'])
    expect((await type(['status', '--plan', plan])).out).toContain(': INC-115')
  })
})
