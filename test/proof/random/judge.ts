import { attributeOf } from '../../../src/testing/queues/simulatedQueue.ts'
import type { History } from './history.ts'

/** The broken promises at the end of a history, in words. */
export function judge(history: History): string[] {
  return [...history.stores.differences, ...orders(history), ...carts(history), ...charges(history)]
}

function orders({ stores, userTable, queues, outside }: History): string[] {
  const { orders: sent } = outside.requests
  const [stock] = stores.memory.userItems(userTable).filter(({ id }) => id === 'stock')
  const shipped = queues
    .queue('shipping')
    .messages.map(({ message }) => attributeOf(message, 'uniquerequestid'))
  return [
    ...unequal('reserved', Number(stock?.['reserved'] ?? 0), sent.length),
    ...unequal('shipped', new Set(shipped).size, sent.length),
  ]
}

function carts(history: History): string[] {
  const { outside, policy } = history
  const { validate: sent } = outside.requests
  const newest = sent.at(-1)
  return sent.flatMap((request) => {
    const sold = soldOf(history, request)
    const mustBe = policy.process === 'every' || request === newest
    if (sold > 1) return [`${request} was sold ${sold} times`]
    return mustBe && sold === 0 ? [`${request} was never sold`] : []
  })
}

function soldOf({ stores, userTable }: History, request: string): number {
  const rows = stores.memory.userItems(userTable)
  return Number(rows.find(({ id }) => id === `sale ${request}`)?.['sold'] ?? 0)
}

/** A superseded request may have paid before. */
function charges(history: History): string[] {
  const { orders: ordered, validate: sent } = history.outside.requests
  const sold = sent.filter((request) => soldOf(history, request) > 0)
  const made = history.outside.charges.size
  const [least, most] = [ordered.length + sold.length, ordered.length + sent.length]
  return made < least || made > most ? [`${made} charges, expected ${least} to ${most}`] : []
}

function unequal(what: string, found: number, expected: number): string[] {
  return found === expected ? [] : [`${what} ${found}, expected ${expected}`]
}
