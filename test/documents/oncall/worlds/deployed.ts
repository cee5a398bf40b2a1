import type { Incident } from '../incident.ts'
import { consumerOf, type Site, until } from '../site.ts'

const order = (number: number) => ({ orderId: `order-${number}`, total: 1_800 })

async function sendOrders(site: Site, from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number++) {
    await site.send('orders', `order-${number}`, order(number))
  }
}

export const DEPLOYED: readonly Incident[] = [
  {
    name: 'a deployment left the mapping disabled',
    source: 'https://github.com/aws/serverless-application-model/issues/702',
    question:
      'Since the deployment of this evening no order has been worked on. Why, and what do I do?',
    plant: async (site) => {
      site.deploy('orders', { mapping: { State: 'Disabled' } })
      // Reads as soon as somebody has enabled it.
      const work = consumerOf(site, 'orders', () => {})
      await site.run('orders', work).pause()
      await sendOrders(site, 1, 5)
    },
    walk: ['status', 'doctor --queue orders'],
    cause: [/no consumer {2}5 of orders .*mapping to orders is Disabled/],
    cure: [
      /Cure: If lineclear pause does not list it: aws lambda update-event-source-mapping --uuid \S+ --enabled/,
      /then: find out who has disabled it, then: aws lambda update-event-source-mapping --uuid/,
    ],
    never: [/✖ failing|! throttled|✖ dead letters/],
  },
  {
    name: 'a module is missing in the bundle',
    source: 'https://github.com/serverless/dashboard-plugin/issues/407',
    question:
      'Orders pile up, there are no dead letters, and the list of open requests is empty. Why?',
    plant: async (site) => {
      site.deploy('orders')
      const failure = Object.assign(new Error("Cannot find module '@shop/prices'"), {
        name: 'Runtime.ImportModuleError',
      })
      const mapping = site.run('orders', () => {
        site.say(
          JSON.stringify({
            timestamp: new Date().toISOString(),
            level: 'ERROR',
            errorType: failure.name,
            errorMessage: `Error: ${failure.message}\nRequire stack:\n- /var/task/orders.js`,
          }),
        )
        throw failure
      })
      await sendOrders(site, 1, 12)
      await until(() => mapping.counts.failedInvocations > 1)
    },
    walk: ['status', 'log'],
    cause: [/12 of orders/, /ImportModuleError/],
    cure: [/read the log of the function/],
    never: [/Disabled|throttl|No problem found/],
  },
  {
    name: 'the queue allows one receive, and Lambda was throttled',
    source: 'https://github.com/adobe/spacecat-audit-worker/pull/2876',
    question:
      'Four messages lie on `scans-dead`, and the log of the function has no error. What happened to them?',
    plant: async (site) => {
      site.deploy('scans')
      for (let nth = 1; nth <= 4; nth++) await site.send('scans', `scan-${nth}`, { shelf: nth })
      // The poller receives, and no execution is free.
      await site.receive('scans', 0)
      await site.receive('scans', 0)
    },
    walk: ['dlq groups scans-dead', 'doctor --queue scans', 'dlq redrive scans-dead'],
    cause: [/moved/, /maxReceiveCount.*\b1\b/, /throttl/],
    cure: [/maxReceiveCount/, /4 dead letters would go/],
    never: [/out of memory[^,]*\.$/m],
  },
  {
    name: 'ReportBatchItemFailures is missing',
    source: 'https://github.com/anomalyco/sst/issues/4379',
    question:
      'Order `order-3` failed once at night. It was never tried again, and it is on no queue. Why?',
    plant: async (site) => {
      site.deploy('orders', { mapping: { FunctionResponseTypes: [] } })
      const options = site.optionsOf(3 * 60 * 60_000)
      const mapping = site.run(
        'orders',
        consumerOf(
          { options },
          'orders',
          (payload) => {
            if (Reflect.get(payload as object, 'orderId') === 'order-3')
              throw new Error('stock: 503')
          },
          { retry: { maxAttempts: 5, delay: '1s', transport: 'visibility' } },
        ),
        { reportBatchItemFailures: false },
      )
      await sendOrders(site, 1, 5)
      await until(() => mapping.counts.deleted >= 5)
      await mapping.stop()
    },
    walk: ['explain orders/order-3', 'doctor --queue orders'],
    cause: [/stock: 503/, /ReportBatchItemFailures is not set/, /they are lost/],
    cure: [
      /Cure: aws lambda update-event-source-mapping --uuid \S+ --function-response-types ReportBatchItemFailures;/,
      /send it again, with the same payload and the same id/,
    ],
    never: [/never recorded|dead letter queue has it/],
  },
  {
    name: 'a function was given more time than its queue hides a message',
    source: 'https://github.com/storacha/indexing-service/pull/167',
    question:
      'Since the timeout of the function `imports` was raised, its messages are delivered again while they run. Why?',
    plant: async (site) => {
      site.deploy('imports', { function: { Timeout: 300 } })
      const mapping = site.run(
        'imports',
        consumerOf(site, 'imports', () => new Promise((done) => setTimeout(done, 12_000))),
        { functionTimeout: '300s', concurrency: 5 },
      )
      await site.send('imports', 'import-1', { file: 'a.csv' })
      await until(() => mapping.counts.deliveries > 1)
    },
    walk: ['status', 'doctor --queue imports'],
    cause: [/visibility timeout.*\b5 s/i, /300/],
    cure: [/Cure: .*(1800|1,800|six times)/],
    never: [/no consumer|throttl/],
  },
]
