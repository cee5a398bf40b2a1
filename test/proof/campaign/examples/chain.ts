import { rowsOf } from '../../../../examples/rows.ts'
import { started, type Course, type Place } from './course.ts'

export async function chain({ cloud, mark, count, example }: Place): Promise<Course> {
  const { validate, charge, start } = await example(
    'chain-lambdas/handler.ts',
    import('../../../../examples/chain-lambdas/handler.ts'),
  )
  const { chargesMade } = await import('../../../../examples/chain-lambdas/payments.ts')
  const sales = async (): Promise<number> =>
    Number((await rowsOf(cloud, 'sales')).find(({ id }) => id === 'all')?.['count'] ?? 0)
  const [chargedBefore, soldBefore] = [chargesMade(), await sales()]
  return {
    handlers: { validate, charge },
    async send() {
      for (let number = 1; number <= count; number++) {
        const uniqueRequestId = `order-${mark}-${number}`
        const orderedAt = new Date().toISOString()
        const order = { cartId: `${mark}-${number}`, orderedAt, items: number }
        await started((as) => start(order, as), uniqueRequestId)
      }
    },
    async books() {
      const carts = (await rowsOf(cloud, 'carts')).filter(({ cartId }) =>
        String(cartId).startsWith(`${mark}-`),
      )
      return {
        wanted: { carts: count, paid: count, sales: count },
        had: {
          carts: carts.filter(({ state }) => state === 'charged').length,
          paid: chargesMade() - chargedBefore,
          sales: (await sales()) - soldBefore,
        },
      }
    },
  }
}
