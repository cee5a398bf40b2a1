import { type Store, TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { applyPlan } from '../../../src/tools/operator/plan/applyPlan.ts'
import { NO_READER } from '../../tools/operator/noReader.ts'
import { planDecision } from '../../../src/tools/operator/plan/planDecision.ts'
import { awsMessenger } from '../../../src/send/awsMessenger.ts'
import { deliver, receive, sendCopy } from '../../flow/flowHarness.ts'
import { type Behaviour, ordersIn, type Place } from './harness.ts'

const KEY = 'flow#trip/k'

/**
 * Books and charges r1; then its handler fails for good, as long as `broken.is`.
 * @param dying called before it fails
 */
export async function deadOrder(
  cloud: LocalCloud,
  place: Place,
  behaviour: Behaviour = {},
  dying: () => void = () => {},
) {
  const { store, clock } = place
  const broken = { is: true }
  const flow = ordersIn(cloud, place, {
    ...behaviour,
    after: (stage, { sku }) => {
      if (!broken.is || stage !== 'pay' || sku !== 'pear') return
      dying()
      throw new TerminalError('refused')
    },
  })
  await flow.start('r1', 'pear')
  await deliver(cloud, 'book', flow.book)
  await deliver(cloud, 'pay', flow.pay)
  const messenger = awsMessenger({ sqs: cloud.sqs, sns: undefined, inMemory: undefined })
  const item = async (sk: string) => {
    const [read] = await store.read([{ pk: KEY, sk }], { consistent: true })
    return read?.kind === 'found' ? read.item : undefined
  }
  const plan = (through: Store = store) =>
    planDecision(
      'flow#trip/k',
      'undo',
      { request: 'r1' },
      { reader: NO_READER, store: through, now: clock.now() },
    )
  const apply = async (planned: Awaited<ReturnType<typeof plan>>, through: Store = store) => {
    if (planned.kind !== 'change') throw new Error(planned.because)
    const operator = { by: 'me', why: 'wrong order', force: false, now: clock.now(), messenger }
    return applyPlan(through, planned, operator)
  }
  const finish = async (after = 13 * 3_600_000): Promise<void> => {
    clock.advance(after)
    await flow.sweep()
    await flow.settle()
  }
  return {
    ...flow,
    broken,
    plan,
    apply,
    finish,
    record: () => item('stage'),
    parked: () => item('dead#r1'),
    count: async (id: string) =>
      (await store.readUser({ TableName: 'counts', Key: { id } }))?.['n'] ?? 0,
    /** The mended request comes again. */
    redrive: async (): Promise<void> => {
      broken.is = false
      const letters = await receive(cloud, 'dead')
      for (const letter of letters) await sendCopy(cloud, 'pay', letter)
      await deliver(cloud, 'pay', flow.pay)
    },
    /** The operator's command, as a process that may die. */
    operate: async (through: Store = store): Promise<void> => {
      const planned = await plan(through)
      if (planned.kind === 'change') await apply(planned, through)
    },
  }
}
