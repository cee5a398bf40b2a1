import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { callerUnder } from './caller.ts'
import type { Course, Place } from './course.ts'

const CALLS = 3

/** Each payment is called for three times at once, by its key, at two APIs: all calls of a key have the same answer. */
export async function payments({ mark, count, faults, example }: Place): Promise<Course> {
  const { handler } = await example(
    'payments-api/handler.ts',
    import('../../../../examples/payments-api/handler.ts'),
  )
  const { handler: middy } = await example(
    'payments-api/middy.ts',
    import('../../../../examples/payments-api/middy.ts'),
  )
  const call = callerUnder(faults)
  const answers = new Map<string, Set<string>>()
  const pay = async (key: string): Promise<void> => {
    const event = paymentOf(key)
    const api = (context: Context) => handler(event, context)
    const withMiddy = (context: Context) => middy(event, context)
    for (const [name, each] of Object.entries({ api, withMiddy })) {
      const calls = Array.from({ length: CALLS }, () => call(each))
      const bodies = (await Promise.all(calls)).map(({ body }) => body)
      answers.set(`${name} ${key}`, new Set(bodies))
    }
  }
  return {
    handlers: {},
    async send() {
      for (let number = 1; number <= count; number += AT_ONCE) {
        const some = Array.from({ length: Math.min(AT_ONCE, count - number + 1) })
        await Promise.all(some.map((_, nth) => pay(`${mark}-${number + nth}`)))
      }
    },
    async books() {
      const different = [...answers.values()].reduce((sum, { size }) => sum + size, 0)
      return { wanted: { payments: count * 2 }, had: { payments: different } }
    },
  }
}

const AT_ONCE = 5

function paymentOf(key: string): APIGatewayProxyEvent {
  const event = {
    httpMethod: 'POST',
    path: '/payments',
    headers: { 'idempotency-key': key },
    requestContext: { requestId: key, authorizer: { principalId: 'customer-1' } },
    body: JSON.stringify({ cents: 1200 }),
    isBase64Encoded: false,
  }
  return event as unknown as APIGatewayProxyEvent
}
