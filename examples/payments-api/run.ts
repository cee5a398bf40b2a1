import { setTimeout } from 'node:timers/promises'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { httpEvent, restEvent } from 'lineclear/testing'
import { type Keep, stopAtEnd } from '../keep.ts'
import { chargesMade, payoutsMade, refundsMade } from './payments.ts'

export interface PaymentsResult {
  readonly api: string
  readonly calls: number
  readonly charges: number
  /** How many different answers there were, the mark of the replays aside. */
  readonly answers: number
  readonly withoutKey: number
  readonly withOtherPayload: number
}

/** What the API that books and tells has left behind. */
export interface BookingsResult {
  readonly booked: number
  readonly cents: number
  readonly messages: number
}

export interface RefundsResult {
  readonly calls: number
  readonly refunds: number
  readonly failedForGood: number
}

/** A payout whose process died is not made again. */
export interface PayoutsResult {
  readonly calls: number
  readonly payouts: number
  readonly waitForAnOperator: number
}

/** Sends the same payment `calls` times at once, to each kind of API, and counts what happened. */
export async function run(
  calls: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<{
  readonly payments: readonly PaymentsResult[]
  readonly bookings: BookingsResult
  readonly refunds: RefundsResult
  readonly payouts: PayoutsResult
  readonly statements: readonly string[]
}> {
  await using cloud = await startLocalCloud({
    queues: { ledger: {} },
    tables: { lineclear: tableDefinition(), sales: { hash: 'id' } },
  })
  Object.assign(process.env, cloud.environment, { LEDGER_QUEUE: cloud.queueUrl('ledger') })
  const { handler } = await import('./handler.ts')
  const { handler: middyHandler } = await import('./middy.ts')
  const { handler: bookingsHandler } = await import('./bookings.ts')
  const { pay: payByFetch } = await import('./fetch.ts')
  const { refund } = await import('./refund.ts')
  const { payout } = await import('./payout.ts')
  const died = payout('breaks off', 'host 1').catch(() => Date.now() + LEASE_MS)

  const pay = async (api: string, call: Call): Promise<PaymentsResult> => {
    const before = chargesMade()
    const key = crypto.randomUUID()
    const sent = Array.from({ length: calls }, () => call(key, { cents: 1200 }))
    const answers = new Set(
      (await Promise.all(sent)).map(({ statusCode, body }) => `${statusCode} ${body}`),
    )
    const result = {
      api,
      calls,
      charges: chargesMade() - before,
      answers: answers.size,
      withoutKey: (await call(undefined, { cents: 1200 })).statusCode,
      withOtherPayload: (await call(key, { cents: 9900 })).statusCode,
    }
    say(`${api}: ${calls} calls, ${result.charges} charge, the answer ${[...answers].join(' | ')}`)
    return result
  }
  const payments = [
    await pay('REST API', (key, body) => handler(rest(key, body), context())),
    await pay('HTTP API', (key, body) => handler(http(key, body), context())),
    await pay('REST API with middy', (key, body) => middyHandler(rest(key, body), context())),
    await pay('web-standard handler', async (key, body) =>
      plain(await payByFetch(webRequest(key, body))),
    ),
    await pay('REST API with ctx', (key, body) => bookingsHandler(rest(key, body), context())),
    await pay('function URL with ctx', (key, body) => bookingsHandler(http(key, body), context())),
  ]
  const bookings = await bookingsIn(cloud)
  say(
    `Bookings: ${bookings.booked} booked with ${bookings.cents} cents, ${bookings.messages} message to the ledger.`,
  )
  const ask = async (paymentId: string): Promise<PromiseSettledResult<unknown>[]> => [
    ...(await Promise.allSettled([refund(paymentId, context())])),
    ...(await Promise.allSettled([refund(paymentId, context())])),
  ]
  const asked = [...(await ask('payment-1')), ...(await ask('unknown'))]
  const failedForGood = asked.filter(({ status }) => status === 'rejected').length
  const refunds = { calls: asked.length, refunds: refundsMade(), failedForGood }
  say(`Refunds: ${refunds.calls} calls, ${refunds.refunds} of them reached the provider.`)
  await setTimeout(Number(await died) - Date.now())
  const again = ['host 2', 'host 3'].map((host) => payout('breaks off', host))
  const parked = (await Promise.allSettled(again)).filter(({ status }) => status === 'rejected')
  const payouts = { calls: 3, payouts: payoutsMade(), waitForAnOperator: parked.length }
  say(
    `Payouts: ${payouts.calls} calls, ${payouts.payouts} of them reached the bank; its process died, so an operator decides.`,
  )
  const statements = await statementsOf('2026-11-22')
  say(`Statements: ${statements.join(', ')}.`)
  await keep(cloud)
  return { payments, bookings, refunds, payouts, statements }
}

/** A day without payments yet, twice with them, in another currency, and a draft. */
async function statementsOf(day: string): Promise<readonly string[]> {
  const { statementOf } = await import('./statement.ts')
  const currency = 'EUR'
  const once = { currency } as const
  const asked = [once, once, once, { currency: 'USD' }, { currency, isDraft: true }] as const
  const shown: string[] = []
  for (const each of asked) {
    shown.push(
      await statementOf({ day, ...each }).then(
        ({ number, madeAt }) => (madeAt === undefined ? `${number}` : `${number} again`),
        (error: Error) => error.name,
      ),
    )
  }
  return shown
}

/** How long a payout is held: its time, 5 seconds for clocks that differ, and some milliseconds. */
const LEASE_MS = 5_102

async function bookingsIn(cloud: LocalCloud): Promise<BookingsResult> {
  const Key = { id: { S: 'payments' } }
  const { Item = {} } = await cloud.dynamodb.send(
    new GetItemCommand({ TableName: 'sales', Key, ConsistentRead: true }),
  )
  const { Attributes = {} } = await cloud.sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: cloud.queueUrl('ledger'),
      AttributeNames: ['ApproximateNumberOfMessages'],
    }),
  )
  return {
    booked: Number(Item['count']?.N),
    cents: Number(Item['cents']?.N),
    messages: Number(Attributes['ApproximateNumberOfMessages']),
  }
}

type Call = (key: string | undefined, body: object) => Promise<{ statusCode: number; body: string }>

const REST = { authorizer: { principalId: 'customer-1' } }
const HTTP = { authorizer: { iam: { callerId: 'AROAEXAMPLE:customer-1' } } }

function rest(key: string | undefined, body: object): APIGatewayProxyEvent {
  return restEvent({ path: '/payments', headers: headersOf(key), body, requestContext: REST })
}

/** Here the key is quoted, as RFC 8941 has it. */
function http(key: string | undefined, body: object): APIGatewayProxyEventV2 {
  const headers = headersOf(key && `"${key}"`)
  return httpEvent({ path: '/payments', headers, body, requestContext: HTTP })
}

function webRequest(key: string | undefined, body: object): Request {
  const headers = { ...headersOf(key), 'x-user-id': 'customer-1' }
  const options = { method: 'POST', headers, body: JSON.stringify(body) }
  return new Request('https://api.example.com/payments', options)
}

async function plain(response: Response): Promise<{ statusCode: number; body: string }> {
  return { statusCode: response.status, body: await response.text() }
}

function headersOf(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { 'Idempotency-Key': key }
}

function context(): Context {
  const end = Date.now() + 29_000
  const awsRequestId = crypto.randomUUID()
  return {
    awsRequestId,
    functionName: 'payments',
    getRemainingTimeInMillis: () => end - Date.now(),
  } as Context
}
