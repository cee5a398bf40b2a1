import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { sign } from '../../../../examples/provider-webhook/signature.ts'
import { rowsOf } from '../../../../examples/rows.ts'
import { callerUnder } from './caller.ts'
import type { Course, Place } from './course.ts'

const SECRET = 'the-secret-that-the-provider-signs-with'

/** Each transaction is called back twice at once, and each time until it is acknowledged. */
export async function callbacks({ cloud, mark, count, faults, example }: Place): Promise<Course> {
  process.env['WEBHOOK_SECRETS'] = JSON.stringify({ current: SECRET })
  const { handler: webhook } = await example(
    'provider-webhook/handler.ts',
    import('../../../../examples/provider-webhook/handler.ts'),
  )
  const { handler: ledger } = await example(
    'provider-webhook/ledger.ts',
    import('../../../../examples/provider-webhook/ledger.ts'),
  )
  const entries = async (): Promise<number> =>
    Number((await rowsOf(cloud, 'ledger')).find(({ id }) => id === 'total')?.['entries'] ?? 0)
  const before = await entries()
  const call = callerUnder(faults)
  const callBack = (number: number): Promise<unknown> => {
    const body = JSON.stringify({ transactionId: `${mark}-${number}`, cents: 100 })
    // Signed for each attempt, as providers do: a signature is refused when it is old.
    return call((context) => {
      const headers = sign(body, SECRET, Date.now())
      return webhook({ version: '2.0', headers, body } as APIGatewayProxyEventV2, context)
    })
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
