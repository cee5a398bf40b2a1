import { defineFlow, type Settlement } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { quietLogger } from '../deliver/quietLogger.ts'
import { answeredLate } from '../store/answeredLate.ts'

const Cart = z.object({ key: z.string() })

function shop() {
  const cloud = memoryCloud({ queues: { pack: {}, close: {}, parcels: {} } })
  const settled: Settlement[] = []
  const flow = defineFlow({
    name: 'shop',
    store: answeredLate(cloud.store),
    clients: cloud.clients,
    clock: cloud.clock,
    logger: quietLogger(),
    onSettled: (settlement) => settled.push(settlement),
    key: ({ key }) => key,
    stages: {
      pack: { schema: Cart, queueUrl: cloud.queueUrl('pack') },
      close: { schema: Cart, queueUrl: cloud.queueUrl('close') },
    },
    awaitingSteps: {
      parcel: { schema: Cart, id: () => 'p', queueUrl: cloud.queueUrl('parcels'), timeout: '1m' },
    },
  })
  return { cloud, settled, flow }
}

it('the last stage has completed although the answer to the reset of its run was lost', async () => {
  const { cloud, settled, flow } = shop()
  const pack = flow.stageHandler('pack', async (cart, ctx) => void (await ctx.next('close', cart)))
  const close = flow.stageHandler('close', () => {})
  await flow.start({ key: 'k' })
  await cloud.deliver('pack', pack)
  await cloud.deliver('close', close)
  expect(settled).toEqual([{ kind: 'completed' }, { kind: 'completed' }])
})

it('extendTimeout counts the runs whose timeout it has extended, though the answer was lost', async () => {
  const { cloud, flow } = shop()
  const pack = flow.stageHandler('pack', (_cart, ctx) => ctx.awaitStep('parcel', 'p', () => {}))
  for (const key of ['a', 'b']) await flow.start({ key })
  await cloud.deliver('pack', pack)
  expect(await flow.extendTimeout('parcel', 'p', '1h')).toBe(2)
})
