import { TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readDeadRun } from '../../src/claim/stage/deadRun.ts'
import { applyPlan } from '../../src/ops/operator/plan/applyPlan.ts'
import { undoDead } from '../../src/ops/operator/plan/lookUp.ts'
import { itemKey } from '../../src/ops/address.ts'
import { suggestForDeadRun } from '../../src/ops/operator/explain/suggestCommands.ts'
import { awsMessenger } from '../../src/queue/awsMessenger.ts'
import { deliver, emptyAll, receive, sendCopy, startFlowCloud } from '../flow/flowHarness.ts'
import { notIn } from '../proof/hostile/mode.ts'
import { orderFlow } from './harness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const ALONE = notIn(['killed', 'clocks'], 'it counts what each delivery does')

/** Books and charges r1; then its handler fails for good, as long as `isBroken`. */
async function dead(undoDead?: boolean) {
  const broken = { is: true }
  const flow = orderFlow(cloud, {
    ...(undoDead === undefined ? {} : { undoDead }),
    after: (stage, { sku }) => {
      if (broken.is && stage === 'pay' && sku === 'pear') throw new TerminalError('refused')
    },
  })
  await flow.start('r1', 'pear')
  await deliver(cloud, 'book', flow.book)
  await deliver(cloud, 'pay', flow.pay)
  const [letter] = await receive(cloud, 'dead')
  if (letter === undefined) throw new Error('no dead letter')
  const { store, clock } = flow.harness
  const messenger = awsMessenger({ sqs: cloud.sqs, sns: undefined, inMemory: undefined })
  return {
    ...flow,
    broken,
    letter,
    plan: () => planOf(store, clock.now()),
    apply: async (plan: Awaited<ReturnType<typeof planOf>>) => {
      if (plan.kind !== 'change') throw new Error(plan.because)
      const operator = { by: 'me', why: 'wrong order', force: false, now: clock.now(), messenger }
      return applyPlan(store, plan, operator)
    },
    finish: async () => {
      flow.harness.clock.advance(13 * 3_600_000)
      await flow.sweep()
      await flow.settle()
    },
  }
}

function planOf(store: Parameters<typeof undoDead>[0]['store'], now: number) {
  return undoDead({ store, now }, 'trip/k', 'r1')
}

describe('a dead request', () => {
  it('keeps its effects, frees its key, and can be redriven', ALONE, async () => {
    const { harness, parked, letter, broken, settle, undone } = await dead()
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
    expect(harness.record()).not.toHaveProperty('stage:')
    expect(parked('r1')).toMatchObject({ ending: 'dead' })
    expect(parked('r1')).not.toHaveProperty('undo')
    broken.is = false
    await sendCopy(cloud, 'pay', letter)
    await settle()
    expect(harness.count('shipped')).toBe(1)
    expect(harness.count('pear')).toBe(1)
    expect(undone).toEqual([])
    expect(parked('r1')).toMatchObject({ reopened: 'ended' })
  })

  it('is undone when an operator asks for it; then a redrive runs nothing', ALONE, async () => {
    const { harness, parked, letter, plan, apply, names, settle, finish, broken } = await dead()
    const shown = await plan()
    expect(shown).toMatchObject({
      kind: 'change',
      standing: ['r1 is dead', 'stage book: done, sent to pay', 'stage pay: dead (terminal)'],
      changes: [
        'its effects are undone, the last stage first: pay, book',
        'it cannot be redriven: its dead letter is dropped as undone',
      ],
    })
    expect(await apply(shown)).toEqual({ kind: 'applied' })
    await finish()
    expect(names()).toEqual(['charge', 'line:2', 'line:1', 'reserve'])
    expect(harness.count('pear')).toBe(0)
    expect(parked('r1')).toMatchObject({ undo: 'undone', operatorDid: 'flow undo' })
    expect(parked('r1')).not.toHaveProperty('statusShard')
    broken.is = false
    await sendCopy(cloud, 'pay', letter)
    await settle()
    expect(harness.count('shipped')).toBe(0)
    expect(await plan()).toMatchObject({ kind: 'nothing', because: 'its effects are undone' })
  })

  it(
    'that a newer one has overtaken keeps its effects until an operator decides',
    ALONE,
    async () => {
      const { harness, parked, letter, plan, apply, start, settle, finish } = await dead()
      await start('r2', 'fig', 1)
      await settle()
      await sendCopy(cloud, 'pay', letter)
      await settle()
      expect(harness.count('pear')).toBe(1)
      expect(harness.count('fig')).toBe(1)
      const item = parked('r1')
      if (item === undefined) throw new Error('not kept')
      expect(suggestForDeadRun(item, 'trip/k', 'r1')).toContain(
        'to undo what it has done: lineclear flow undo trip/k r1 --apply',
      )
      await apply(await plan())
      await finish()
      expect(harness.count('pear')).toBe(0)
      expect(harness.count('fig')).toBe(1)
      expect(harness.count('line:1')).toBe(1)
    },
  )

  it('is redriven or undone, never both: whoever writes first', ALONE, async () => {
    const { harness, letter, plan, apply, settle, broken, undone } = await dead()
    const shown = await plan()
    broken.is = false
    await sendCopy(cloud, 'pay', letter)
    await settle()
    expect(await apply(shown)).toEqual({ kind: 'refused', because: 'outdated' })
    expect(await plan()).toMatchObject({
      kind: 'impossible',
      because: 'it was redriven, and its run has ended',
    })
    expect(harness.count('shipped')).toBe(1)
    expect(undone).toEqual([])
  })

  it('whose redrive has begun and come to nothing can be undone', ALONE, async () => {
    const { harness, parked, plan, apply, finish } = await dead()
    const item = parked('r1')
    if (item === undefined) throw new Error('not kept')
    const { pk } = itemKey(item)
    const fence = Number(harness.record()?.['fence'])
    await harness.store.update([{ key: { pk, sk: 'dead#r1' }, where: [], set: { reopened: 1 } }])
    await apply(await plan())
    expect(harness.record()).toMatchObject({ fence: fence + 1 })
    await finish()
    expect(harness.count('pear')).toBe(0)
  })

  it('that dies again can be undone again', ALONE, async () => {
    const { harness, letter, plan, apply, settle, finish } = await dead()
    await sendCopy(cloud, 'pay', letter)
    await settle()
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
    await apply(await plan())
    await finish()
    expect(harness.count('pear')).toBe(0)
  })

  it('version 0.1 cannot read it, and so does not redrive it', ALONE, async () => {
    const { parked } = await dead()
    expect(parked('r1')).toHaveProperty('stage:', 'ending')
    expect(readDeadRun(parked('r1') ?? {})?.stages.has('')).toBe(false)
  })
})

describe('undoDead: true', () => {
  it('a run that dies is undone by itself, and its dead letter runs nothing', ALONE, async () => {
    const { harness, parked, letter, finish, settle, names, broken } = await dead(true)
    await finish()
    expect(names()).toEqual(['charge', 'line:2', 'line:1', 'reserve'])
    expect(harness.count('pear')).toBe(0)
    expect(parked('r1')).toMatchObject({ ending: 'dead', undo: 'undone' })
    broken.is = false
    await sendCopy(cloud, 'pay', letter)
    await settle()
    expect(harness.count('shipped')).toBe(0)
  })
})
