import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { PublishCommand } from '@aws-sdk/client-sns'
import { snsTopic, storedDelays, sweepHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { sqsEvent, sqsRecord } from 'lineclear/testing'
import { lambdaContext } from '../../../deliver/lambdaContext.ts'
import type { Incident } from '../incident.ts'
import { admitTopic, consumerOf, TABLE, until } from '../site.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

export const ATTEMPTS: readonly Incident[] = [
  {
    name: 'a large payload needs more memory than the function has',
    source: 'https://github.com/DataBiosphere/azul/issues/7730',
    question:
      '`uploads-dead` has one message, and the function has logged no error of the handler. What happened to it?',
    plant: async (site) => {
      site.deploy('uploads', { function: { MemorySize: 128 } })
      const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
      // A process that is killed logs nothing more.
      const options = { ...site.optionsOf(3 * HOUR), logger: silent }
      const work = consumerOf({ options }, 'uploads', async (_, ctx) => {
        await ctx.write('count', {
          TableName: 'totals',
          Key: { account: 'uploads' },
          add: { n: 1 },
        })
      })
      const mapping = site.run('uploads', work, {
        batchSize: 1,
        faults: {
          at: [1, 2, 3, 4, 5, 6].map((invocation) => ({
            invocation,
            call: 2,
            fault: 'killBefore',
          })),
        },
      })
      await site.send('uploads', 'upload-7', { pages: 4_000 })
      await until(async () => (await site.cloud.queueDepth('uploads-dead')).ready > 0)
      for (let nth = 1; nth <= mapping.counts.kills; nth++) {
        site.say(
          `REPORT RequestId: 6f3d9a1c-0000-4000-8000-00000000000${nth}\tDuration: 812.40 ms\tBilled Duration: 813 ms\tMemory Size: 128 MB\tMax Memory Used: 128 MB\tStatus: error\tError Type: Runtime.OutOfMemory`,
        )
      }
      await mapping.stop()
    },
    walk: ['dlq groups uploads-dead', 'explain uploads/upload-7', 'log'],
    cause: [
      /moved/,
      /attempt 1 began \S+ and never ended: it was killed \(out of memory/,
      /aws logs filter-log-events --log-group-name \/aws\/lambda\/uploads /,
      /Runtime\.OutOfMemory/,
    ],
    cure: [/lineclear redrive uploads\/upload-7 finds it/],
    never: [/it continues by itself|\b(rejected|terminal)\b|timed out/],
  },
  {
    name: 'the first message of a group fails, and the others wait behind it',
    source: 'https://github.com/RobotLocomotion/drake/issues/11192',
    question:
      'Nothing of account `acme` is booked any more, all other accounts are. What holds it up?',
    plant: async (site) => {
      site.deploy('ledger.fifo')
      site.run(
        'ledger.fifo',
        consumerOf(
          site,
          'ledger',
          (payload) => {
            if (Reflect.get(payload as object, 'posting') === 1)
              throw new Error('period 2026-10 is closed')
          },
          { retry: { maxAttempts: 50, delay: '2s' } },
        ),
      )
      for (let posting = 1; posting <= 5; posting++) {
        await site.send('ledger.fifo', `acme-${posting}`, { account: 'acme', posting })
      }
      await site.send('ledger.fifo', 'blue-9', { account: 'blue', posting: 9 })
      await sleep(6_000)
    },
    walk: ['status', 'explain ledger/acme-1'],
    cause: [
      /1 of ledger is tried again \(Error: period 2026-10 is closed\)/,
      /explain ledger\/acme-1|request ledger\/acme-1/,
    ],
    cure: [
      /the others of its message group wait behind it/,
      /1\. .*lineclear pause --function ledger-fifo --for 15m; 2\. .*lineclear decide ledger\/acme-1 done; 3\. .*lineclear resume --function ledger-fifo/,
    ],
    carryOut: {
      commands: [
        'pause --function ledger-fifo --for 15m',
        'decide ledger/acme-1 done',
        'resume --function ledger-fifo',
      ],
      isMended: async ({ cloud }) => {
        const { ready, inFlight, delayed } = await cloud.queueDepth('ledger.fifo')
        return ready + inFlight + delayed === 0
      },
    },
    never: [/✖ no consumer|Nothing is open|before it claims anything|next: nothing to do/],
  },
  {
    name: 'the role of the function may not write the table any more',
    source: 'https://github.com/aws-samples/aws-serverless-workshop-innovator-island/issues/97',
    question:
      'Since the change of the roles orders pile up. There is no dead letter and nothing is open. Why?',
    plant: async (site) => {
      site.deploy('orders')
      const client = new DynamoDBClient({ region: 'us-east-1' })
      const text =
        'User: arn:aws:sts::000000000000:assumed-role/orders/orders is not authorized to perform: dynamodb:PartiQLInsert on resource: arn:aws:dynamodb:us-east-1:000000000000:table/lineclear because no identity-based policy allows the dynamodb:PartiQLInsert action'
      client.middlewareStack.add(
        () => () => {
          throw Object.assign(new Error(text), {
            name: 'AccessDeniedException',
            $fault: 'client',
            $metadata: { httpStatusCode: 400 },
          })
        },
        { step: 'initialize' },
      )
      const { logger } = site.options
      const store = dynamoDbStore({ tableName: TABLE, client, logger })
      const mapping = site.run(
        'orders',
        consumerOf({ options: { ...site.options, store } }, 'orders', () => {}),
      )
      for (let nth = 1; nth <= 12; nth++) await site.send('orders', `order-${nth}`, { total: nth })
      await until(() => mapping.counts.invocations > 1)
      await sleep(1_000)
    },
    walk: ['status', 'doctor --queue orders', 'log'],
    cause: [/12 of orders/, /not authorized to perform: dynamodb:PartiQLInsert/],
    cure: [/read the log of the function/],
    never: [/no consumer|Disabled|No problem found/],
  },
  {
    name: 'in the VPC a call gets no answer until the function times out',
    source: 'https://github.com/elastic/elastic-serverless-forwarder/issues/192',
    question:
      'Since the function `mails` was put into the VPC nothing is mailed, and every invocation takes as long as it may. Where does it hang?',
    plant: async (site) => {
      site.deploy('mails')
      const mapping = site.run(
        'mails',
        consumerOf(
          site,
          'mails',
          async (_, ctx) => {
            await ctx.call('relay', () => new Promise<string>(() => {}), { ifUnknown: 'repeat' })
          },
          { retry: { maxAttempts: 50, delay: '1s' } },
        ),
        { functionTimeout: '2s', batchSize: 1 },
      )
      await site.send('mails', 'mail-1', { to: 'ann@example.com' })
      await until(() => mapping.counts.invocations > 3)
    },
    walk: ['status', 'explain mails/mail-1', 'log'],
    cause: [
      /where it hangs: before its first mark; no call is marked as begun/,
      /none before it has reported an end/,
      /timed out: the handler still ran when the time was up/,
      /"openCalls":\["relay: began at \S+, no end yet"\]/,
    ],
    cure: [/read the log of its function/, /mend what does not answer/],
    never: [/No problem found|✖ dead letters|! throttled|next: nothing to do/],
  },
  {
    name: 'a filter of the subscription drops it',
    source: 'https://github.com/DataDog/dd-trace-py/issues/3467',
    question:
      'The shop says that it has published order-76 and order-77. `orders` has done the first; the second is in no list. Where is it?',
    plant: async (site) => {
      site.deploy('orders')
      await admitTopic(site)
      const mapping = site.run(
        'orders',
        consumerOf(site, 'orders', () => {}),
      )
      const publish = (id: string, channel: string) =>
        site.cloud.sns.send(
          new PublishCommand({
            TopicArn: site.cloud.topicArn('placed'),
            Message: JSON.stringify({ orderId: id, total: 100 }),
            MessageAttributes: {
              uniquerequestid: { DataType: 'String', StringValue: id },
              channel: { DataType: 'String', StringValue: channel },
            },
          }),
        )
      await publish('order-76', 'shop')
      await publish('order-77', 'Shop')
      await mapping.drained({ timeout: '120s' })
    },
    walk: ['explain order-77 --scan', 'dlq peek --id order-77', 'doctor --queue orders'],
    cause: [
      /no item has the id/,
      /If no queue has it either, it has not arrived/,
      /0 dead letters shown/,
      /Subscription of \S+:orders to \S+:placed: .*filter policy on MessageAttributes: \{"channel":\["shop"\]\}/,
      /SNS drops what does not match/,
    ],
    cure: [/ask its sender, and look at the filter policy/],
    never: [/dead letter of it was sent|expired at|completed/],
  },
  {
    name: 'SNS may not use the key of the queue',
    source: 'https://github.com/aws/aws-cdk/issues/19796',
    question:
      'The alarm of `orders-undelivered` rang after the queues were encrypted. Why does SNS not deliver?',
    plant: async (site) => {
      site.deploy('orders')
      site.run(
        'orders',
        consumerOf(site, 'orders', () => {}, { envelopes: [snsTopic('any')] }),
      )
      const { cloud } = site
      await admitTopic(site, false)
      await cloud.sqs.send(
        new SetQueueAttributesCommand({
          QueueUrl: cloud.queueUrl('orders'),
          Attributes: { KmsMasterKeyId: 'alias/aws/sqs' },
        }),
      )
      for (let nth = 1; nth <= 3; nth++) {
        await site.sendText(
          'orders-undelivered',
          JSON.stringify({
            Type: 'Notification',
            MessageId: `6f3d9a1c-0000-4000-8000-00000000000${nth}`,
            TopicArn: cloud.topicArn('placed'),
            Message: JSON.stringify({ orderId: `order-${nth}`, total: 100 }),
            Timestamp: new Date().toISOString(),
            SignatureVersion: '1',
            Signature: 'EXAMPLE',
            SigningCertURL: 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem',
            UnsubscribeURL: 'https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe',
          }),
        )
      }
    },
    walk: ['status', 'doctor --queue orders', 'dlq redrive orders-undelivered --to orders'],
    cause: [
      /who reads orders-undelivered, where 3 wait/,
      /orders: It is encrypted with alias\/aws\/sqs/,
      /sns\.amazonaws\.com cannot use that key/,
    ],
    cure: [/SqsManagedSseEnabled: true, or a customer key/, /3 dead letters would go/],
    never: [/exhausted|moved|No problem/],
  },
  {
    name: 'the schedule of the sweeper is off',
    source: 'https://github.com/DevopsArtFactory/unic/issues/288',
    question: 'Reminders that were due last night were not sent. Why?',
    plant: async (site) => {
      site.deploy('orders')
      site.deploy('mails')
      const ago = 30 * HOUR
      const options = site.optionsOf(ago)
      const work = consumerOf(
        { options },
        'orders',
        async (payload, ctx) => {
          await ctx.send(site.cloud.queueUrl('mails'), payload, { delay: '20h' })
        },
        { delays: storedDelays() },
      )
      const records = ['order-1', 'order-2'].map((id) =>
        sqsRecord(
          { orderId: id },
          {
            attributes: { uniquerequestid: id },
            sentAt: options.clock.now(),
            queueArn: site.cloud.queueArn('orders'),
          },
        ),
      )
      await work(sqsEvent(...records), lambdaContext(), () => {})
      const { clients } = site.options
      // Its last turn, before its rule was disabled.
      const last = sweepHandler({ ...site.optionsOf(26 * HOUR), clients })
      for (let turn = 0; turn < 3; turn++) await last()
    },
    walk: ['status', 'ls --status later --due', 'sweep'],
    cause: [/sweeper/, /overdue {2}2 of/, /does not run/],
    cure: [/sweep --apply/, /schedule/],
    never: [/no consumer|dead letters/],
  },
]
