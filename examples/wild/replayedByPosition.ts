import { recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'

/**
 * https://github.com/aws/aws-durable-execution-sdk-js/issues/149: the nth step gets the nth result of the log. Since its fix
 * another name at that place ends the execution (SDK 2.4.0). So a deployment that inserts a step ends what is under way: the card
 * is charged, and nothing is shipped.
 */
type Step = (name: string, run: () => Promise<number>) => Promise<number>
type Books = Record<'charges' | 'checks' | 'shipped', number>

async function handle(version: number, step: Step, books: Books): Promise<void> {
  if (version === 2) await step('check', async () => (books.checks += 1))
  await step('charge', async () => (books.charges += 1))
  if (version === 1) throw new Error('a deployment')
  await step('ship', async () => (books.shipped += 1))
}

export async function before(): Promise<Books> {
  const books = { charges: 0, checks: 0, shipped: 0 }
  const log: { readonly name: string; readonly result: number }[] = []
  const execute = (version: number): Promise<void> => {
    let position = 0
    const step: Step = async (name, run) => {
      const logged = log[position++]
      if (logged === undefined) log.push({ name, result: await run() })
      else if (logged.name !== name) throw new Error('NonDeterministicExecutionError')
      return log[position - 1]?.result ?? 0
    }
    return handle(version, step, books).catch(() => {})
  }
  await execute(1)
  await execute(2)
  return books
}

export async function after(): Promise<Books> {
  const cloud = memoryCloud({ queues: { orders: {} } })
  const { store, clients, clock, logger } = cloud
  const books = { charges: 0, checks: 0, shipped: 0 }
  const orders = recordHandler({ name: 'orders', store, clients, clock, logger }, (_, ctx) =>
    handle(ctx.attempt, (name, run) => ctx.call(name, run), books),
  )
  cloud.send('orders', {})
  await cloud.drain({ orders })
  return books
}
