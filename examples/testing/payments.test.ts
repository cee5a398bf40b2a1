import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { idempotent } from 'lineclear'
import { httpEvent, memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'

const requestContext = { authorizer: { jwt: { claims: { sub: 'customer-1' }, scopes: [] } } }

it('charges once for each Idempotency-Key', async () => {
  const { store, clock, logger } = memoryCloud()
  let charges = 0
  const pay = idempotent(
    { store, name: 'payments', clock, logger },
    async (_event: APIGatewayProxyEventV2, _context: Context) => {
      charges += 1
      return { statusCode: 201, body: `payment ${charges}` }
    },
  )
  const ask = (key: string) => {
    const headers = { 'Idempotency-Key': key }
    const event = httpEvent({ headers, body: { cents: 1200 }, requestContext })
    return pay(event, { awsRequestId: 'r-1' } as Context)
  }
  expect(await ask('k-1')).toMatchObject({ statusCode: 201, body: 'payment 1' })
  expect(await ask('k-1')).toMatchObject({ statusCode: 201, body: 'payment 1' })
  expect(await ask('k-2')).toMatchObject({ statusCode: 201, body: 'payment 2' })
})
