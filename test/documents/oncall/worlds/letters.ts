import { recordHandler, TerminalError } from 'lineclear'
import { z } from 'zod'
import type { Incident } from '../incident.ts'
import { consumerOf, type Handler, type Site } from '../site.ts'

const Order = z.object({ orderId: z.string(), total: z.number().int() })

/** Delivers all that was sent, until each has completed or died, and goes on reading. */
async function work(site: Site, queue: string, handler: Handler): Promise<void> {
  site.deploy(queue)
  await site.run(queue, handler).drained({ timeout: '120s' })
}

async function sendOrders(site: Site, queue: string, from: number, to: number): Promise<void> {
  for (let nth = from; nth <= to; nth++) {
    await site.send(queue, `${queue}-${nth}`, { orderId: `${queue}-${nth}`, total: nth * 100 })
  }
}

function numberOf(payload: unknown): number {
  return Number(Reflect.get(payload as object, 'total')) / 100
}

/** It knows what an order looks like. */
function typedOrders({ options }: Site): Handler {
  return recordHandler({ ...options, name: 'orders', schema: Order }, () => {})
}

export const LETTERS: readonly Incident[] = [
  {
    name: 'the database has no connection left',
    source: 'https://github.com/spreaker/poduptime/issues/20',
    question: 'The alarm of `orders-dead` rang. Is it one cause or several, and which?',
    plant: async (site) => {
      await sendOrders(site, 'orders', 1, 12)
      await work(
        site,
        'orders',
        consumerOf(site, 'orders', (payload) => {
          if (numberOf(payload) > 8) return
          throw Object.assign(
            new Error(
              'remaining connection slots are reserved for non-replication superuser and rds_superuser connections',
            ),
            { name: 'error', severity: 'FATAL', code: '53300' },
          )
        }),
      )
    },
    walk: ['status', 'dlq groups orders-dead'],
    cause: [/dead letters {2}8 of orders-dead/, /remaining connection slots/],
    cure: [/after the fix, redrive them: lineclear dlq redrive orders-dead --group/],
    never: [/moved|rejected|unknown outcome/],
  },
  {
    name: 'after a failover the pool writes to a reader',
    source: 'https://github.com/sidorares/node-mysql2/issues/2050',
    question:
      'Dead letters on two queues since the failover of the database. Is it the same cause on both?',
    plant: async (site) => {
      const readOnly = Object.assign(
        new Error(
          'The MySQL server is running with the --read-only option so it cannot execute this statement',
        ),
        { code: 'ER_OPTION_PREVENTS_STATEMENT', errno: 1290, sqlState: 'HY000' },
      )
      const failing = (name: string): Handler =>
        consumerOf(site, name, (payload) => {
          if (numberOf(payload) % 2 === 1) throw readOnly
        })
      await sendOrders(site, 'orders', 1, 6)
      await sendOrders(site, 'payments', 1, 4)
      await Promise.all([
        work(site, 'orders', failing('orders')),
        work(site, 'payments', failing('payments')),
      ])
    },
    walk: ['status', 'dlq groups'],
    cause: [
      /dead letters {2}5 of orders-dead, payments-dead/,
      /--read-only option/,
      /\w{8}, \w{8} have one cause, \w{8}: after the fix, redrive them/,
    ],
    cure: [/after the fix, redrive them: lineclear dlq redrive --all --group/],
    never: [/moved|rejected/],
  },
  {
    name: 'a provider limits the rate, and refuses something else',
    source: 'https://github.com/gchq/sleeper/issues/4505',
    question: 'Which dead letters of `payments` can go back as they are, and which cannot?',
    plant: async (site) => {
      const answered = (status: number, text: string): Error =>
        Object.assign(new Error(`POST /v1/jobs answered ${status}: ${text}`), { status })
      await sendOrders(site, 'payments', 1, 8)
      await work(
        site,
        'payments',
        consumerOf(site, 'payments', (payload) => {
          const number = numberOf(payload)
          if (number > 6) throw new TerminalError(answered(400, 'currency is missing').message)
          throw answered(429, 'Rate exceeded')
        }),
      )
    },
    walk: ['status', 'dlq groups payments-dead'],
    cause: [
      /429: Rate exceeded/,
      /400: currency is missing/,
      /\b6\b.*exhausted/,
      /\b2\b.*terminal/,
    ],
    cure: [/dlq redrive payments-dead --group/, /its payload and the code may be right. Wait, or/],
    never: [/dead letters {2}8 of|after the fix/],
  },
  {
    name: 'a secret was renewed, and warm functions keep the old one',
    source: 'https://github.com/guillaumegd/legirag/issues/17',
    question:
      'Payments die since the secret was renewed at midnight. What do the letters say, and do I lose anything if I redrive?',
    plant: async (site) => {
      await sendOrders(site, 'payments', 1, 7)
      await work(
        site,
        'payments',
        consumerOf(site, 'payments', async (payload, ctx) => {
          await ctx.write('book', {
            TableName: 'totals',
            Key: { account: 'shop' },
            add: { cents: numberOf(payload) },
          })
          throw Object.assign(new Error('The security token included in the request is invalid.'), {
            name: 'UnrecognizedClientException',
            $metadata: { httpStatusCode: 400 },
          })
        }),
      )
    },
    walk: ['status', 'dlq groups payments-dead', 'explain payments/payments-1'],
    cause: [/security token included in the request is invalid/, /UnrecognizedClientException/],
    cure: [/after the fix/, /effects applied: book/],
    never: [/unknown outcome|moved|throttled/],
  },
  {
    name: 'a sender changed a number into a text',
    source: 'https://iamanuragh.in/blog/2026-02-22-sqs-dead-letter-queues-stop-losing-messages',
    question:
      'Five orders are dead, and the function did not even run for them. Why, and how are they worked on?',
    plant: async (site) => {
      for (let nth = 1; nth <= 5; nth++) {
        await site.send('orders', `order-${nth}`, { orderId: `order-${nth}`, total: `${nth}.00` })
      }
      await sendOrders(site, 'orders', 6, 8)
      await work(site, 'orders', typedOrders(site))
    },
    walk: ['status', 'dlq peek orders-dead --group GROUP --body'],
    cause: [/rejected/, /total.*expected number, received string/i, /"total": ?"1\.00"/],
    cure: [/a redrive alone is rejected again/, /dlq edit orders-dead/],
    never: [/exhausted|moved/],
  },
  {
    name: 'somebody has sent a text by hand',
    source: 'https://github.com/celery/kombu/issues/2421',
    question:
      'One dead letter on `orders-dead` has no id that anybody knows. What is it, and what do I do with it?',
    plant: async (site) => {
      await site.sendText('orders', 'Hello from Amazon SQS.')
      await sendOrders(site, 'orders', 1, 3)
      await work(site, 'orders', typedOrders(site))
    },
    walk: [
      'dlq groups orders-dead',
      'dlq peek orders-dead --body',
      'dlq discard orders-dead --group GROUP',
    ],
    cause: [/rejected/, /the body is not JSON/, /Hello from Amazon SQS/],
    cure: [
      /1 dead letter of 1 would be taken off the queue/,
      /No handler has run with these payloads/,
    ],
    never: [/exhausted|moved|unknown outcome/],
  },
  {
    name: 'a sender used one id for two requests',
    source: 'https://github.com/aws-powertools/powertools-lambda-python/issues/3781',
    question:
      'Payment `payment-7` was made over 100, and the customer says that 250 were ordered. Where is the rest?',
    plant: async (site) => {
      const pay = consumerOf(site, 'payments', async (_, ctx) => {
        await ctx.write('book', {
          TableName: 'totals',
          Key: { account: 'shop' },
          add: { payments: 1 },
        })
      })
      site.deploy('payments')
      const mapping = site.run('payments', pay)
      await site.send('payments', 'payment-7', { paymentId: 'payment-7', cents: 100 })
      await mapping.drained({ timeout: '120s' })
      await site.send('payments', 'payment-7', { paymentId: 'payment-7', cents: 150 })
      await mapping.drained({ timeout: '120s' })
    },
    walk: [
      'status',
      'dlq peek payments-dead --body',
      'dlq redrive payments-dead --group GROUP --as-new-request',
    ],
    cause: [/conflict of payments: another payload came/, /"cents":150/],
    cure: [
      /send this one again under an id of its own: lineclear dlq redrive payments-dead --group \S+ --as-new-request/,
      /1 dead letter would go to/,
      /1 of them are sent as requests of their own/,
    ],
    never: [/exhausted|moved of/],
  },
  {
    name: 'the queue that it sends to is not in this Region',
    source: 'https://github.com/danvk/mapsnap/pull/436',
    question: 'Orders die in their last step since the move to another Region. What is wrong?',
    plant: async (site) => {
      await sendOrders(site, 'orders', 1, 3)
      await work(
        site,
        'orders',
        consumerOf(site, 'orders', async (payload, ctx) => {
          await ctx.write('reserve', {
            TableName: 'stock',
            Key: { sku: 'apple' },
            add: { reserved: 1 },
          })
          await ctx.send(`${site.cloud.queueUrl('mails')}-eu`, payload)
        }),
      )
    },
    walk: ['status', 'dlq groups orders-dead', 'explain orders/orders-1'],
    cause: [
      /its record orders\/orders-\d says: SendFailedError: \S*\/mails-eu/,
      /The specified queue does not exist/,
    ],
    cure: [/after the fix, redrive them: lineclear dlq redrive orders-dead/],
    never: [/unknown outcome|killed|without an error|delivered now: dropped/],
  },
  {
    name: 'a message is larger than the queue takes',
    source: 'https://github.com/inferablehq/inferable/issues/306',
    question: 'Two of ten exports die, the others complete. What is special about the two?',
    plant: async (site) => {
      await sendOrders(site, 'orders', 1, 10)
      await work(
        site,
        'orders',
        consumerOf(site, 'orders', async (payload, ctx) => {
          const rows = 'x'.repeat(numberOf(payload) > 8 ? 300_000 : 100)
          await ctx.send(site.cloud.queueUrl('exports'), { rows })
        }),
      )
    },
    walk: ['status', 'dlq groups orders-dead', 'explain orders/orders-9'],
    cause: [
      /dead letters {2}2 of orders-dead/,
      /Message must be shorter than 262144 bytes\.\), which has 300\d{3} bytes/,
    ],
    cure: [
      /the option offload, or raise MaximumMessageSize of that queue/,
      /when that is deployed, redrive them/,
    ],
    never: [/Take it off the queue|unknown outcome/],
  },
]
