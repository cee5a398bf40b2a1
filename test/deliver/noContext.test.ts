import type { Context } from 'aws-lambda'
import { recordHandler } from 'lineclear'
import { memoryCloud, sqsEvent } from 'lineclear/testing'
import { expect, it } from 'vitest'

it.each([undefined, null])(
  'a call without a context (%s) runs nothing, and says what to do',
  async (given) => {
    const { store, clients, logger } = memoryCloud({ queues: { orders: {} } })
    const ran: unknown[] = []
    const handler = recordHandler(
      { name: 'orders', store, clients, logger },
      (order) => void ran.push(order),
    )
    const context: unknown = given
    await expect(handler(sqsEvent([{}]), context as Context)).rejects.toThrow(
      /Nothing was run.*handler\(event, context\).*memoryCloud/,
    )
    expect([ran, store.items()]).toEqual([[], []])
  },
)
