import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { sign } from '../../../../examples/provider-webhook/signature.ts'
import { rowsOf } from '../../../../examples/rows.ts'
import { callerUnder } from './caller.ts'
import type { Course, Place } from './course.ts'

const SECRET = 'the-secret-that-the-provider-signs-with'

/** Each transaction is called back twice at once, and each time until it is acknowledged. */
export async function callbacks({ cloud, mark, count, faults }: Place): Promise<Course> {
  process.env['WEBHOOK_SECRETS'] = JSON.stringify({ current: SECRET })
  const { handler: webhook } = await import('../../../../examples/provider-webhook/handler.ts')
  const { handler: ledger } = await import('../../../../examples/provider-webhook/ledger.ts')
  const entries = async (): Promise<number> =>
    Number((await rowsOf(cloud, 'ledger')).find(({ id }) => id === 'total')?.['entries'] ?? 0)
  const before = await entries()
  const call = callerUnder(faults)
  const callBack = (number: number): Promise<unknown> => {
    const body = JSON.stringify({ transactionId: `${mark}-${number}`, cents: 100 })
    const headers = sign(body, SECRET, Date.now())
    const event = { version: '2.0', headers, body } as APIGatewayProxyEventV2
    return call((context) => webhook(event, context))
  }
  return {
    handlers: { callbacks: ledger },
    async send() {
      for (let number = 1; number <= count; number++) {
        await Promise.all([callBack(number), callBack(number)])
      }
    },
    async books() {
      return { wanted: { entries: count }, had: { entries: (await entries()) - before } }
    },
  }
}
