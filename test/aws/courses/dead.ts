import type { OpenCourse } from './course.ts'

/** Refused by their schema, redriven as they are, and then mended: each command is an operator's. */
const mended: OpenCourse = (stage) => {
  const ids = ['bad-1', 'bad-2', 'bad-3']
  const dead = async () => (await stage.waiting(/^OrdersDeadLetters$/))['OrdersDeadLetters'] ?? 0
  const reserved = async () =>
    (await stage.rows('stock')).find(({ sku }) => sku === 'mended')?.['reserved']
  return {
    name: 'dead letters, redriven and mended',
    functions: ['orders'],
    async drive() {
      for (const id of ids) {
        const order = { orderId: id, sku: 'mended', quantity: 'one' }
        await stage.send('OrdersQueue', order, id)
      }
      await stage.until('dead letters', dead, (count) => count >= ids.length)
      const queue = stage.nameOf('OrdersDeadLetters')
      await stage.lineclear('dlq', 'redrive', queue)
      await stage.until('dead again', dead, (count) => count >= ids.length)
      for (const id of ids) {
        await stage.lineclear('dlq', 'edit', queue, '--id', id, '--set', 'quantity=1')
      }
      await stage.lineclear('dlq', 'redrive', queue)
      await stage.until('mended', reserved, (count) => count === String(ids.length))
    },
    async books() {
      // A dead letter may be there twice: of a request that was mended, the other one is an operator's to discard.
      const letters = await stage.take('OrdersDeadLetters')
      const idOf = ({ MessageAttributes }: (typeof letters)[number]): string =>
        MessageAttributes?.['uniquerequestid']?.StringValue ?? ''
      return [
        { what: 'mended', wanted: String(ids.length), had: await reserved() },
        { what: 'left', wanted: [], had: letters.map(idOf).filter((id) => !ids.includes(id)) },
      ]
    },
  }
}

export const DEAD: readonly OpenCourse[] = [mended]
