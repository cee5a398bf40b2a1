import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { Context } from 'aws-lambda'
import { rowsOf } from '../../../../examples/rows.ts'
import { callerUnder } from './caller.ts'
import type { Course, Place } from './course.ts'
import { idsIn } from './idsIn.ts'

const SCHEDULE = 'arn:aws:scheduler:us-east-1:123456789012:schedule/default/settlement'
const CENTS = 100

/** Scheduler delivers each night twice, and Lambda each delivery twice at once, under its own request id. */
export async function nights({ cloud, mark, count, faults, example }: Place): Promise<Course> {
  const { handler } = await example(
    'schedule/handler.ts',
    import('../../../../examples/schedule/handler.ts'),
  )
  const call = callerUnder(faults)
  const settled = async () => (await rowsOf(cloud, 'sales')).find(({ id }) => id === 'settled')
  const before = await settled()
  const deliver = (night: string, awsRequestId: string): Promise<unknown> =>
    call(async (context: Context) => {
      await handler({ schedule: SCHEDULE, at: `${night}T03:00:00Z` }, { ...context, awsRequestId })
      return { statusCode: 200 }
    })
  const all = Array.from({ length: count }, (_, nth) => nightOf(mark, nth + 1))
  return {
    handlers: {},
    async send() {
      for (const night of all) {
        const Item = { id: { S: night }, cents: { N: String(CENTS) } }
        await cloud.dynamodb.send(new PutItemCommand({ TableName: 'sales', Item }))
        const requests = [crypto.randomUUID(), crypto.randomUUID()]
        await Promise.all([...requests, ...requests].map((id) => deliver(night, id)))
      }
    },
    async books() {
      const after = await settled()
      const grown = (name: string): number =>
        Number(after?.[name] ?? 0) - Number(before?.[name] ?? 0)
      return {
        wanted: { nights: count, 'cents of nights': count * CENTS, 'nights told': count },
        had: {
          nights: grown('nights'),
          'cents of nights': grown('cents'),
          'nights told': idsIn(cloud, 'ledger', `settlement-${yearOf(mark)}`).size,
        },
      }
    },
  }
}

/** Ten characters, as a date has; each run has its own. */
function nightOf(mark: string, number: number): string {
  return `${yearOf(mark)}-${String(number).padStart(5, '0')}`
}

function yearOf(mark: string): string {
  return mark.slice(1).padStart(4, '0')
}
