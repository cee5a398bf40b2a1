import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { producer, requestStatus } from 'lineclear'
import { Export, store } from './handler.ts'

const jobs = producer({ schema: Export, id: ({ exportId }) => exportId })
const rows = new DynamoDBClient()

/** `POST /exports` answers before the job has begun, with the link where its status is. */
export async function post(
  event: APIGatewayProxyEventV2,
): Promise<APIGatewayProxyStructuredResultV2> {
  const asked = Export.safeParse(JSON.parse(event.body ?? 'null'))
  if (!asked.success) return answer(400, { error: 'no export' })
  const { uniqueRequestId } = await jobs.send(process.env['EXPORTS_QUEUE'] ?? '', asked.data)
  const link = `/exports/${uniqueRequestId}`
  return { ...answer(202, { link }), headers: { location: link, 'retry-after': '2' } }
}

/** `GET /exports/{id}`, whose role needs `dynamodb:GetItem` alone. Check here whose export it is. */
export async function get(
  event: APIGatewayProxyEventV2,
): Promise<APIGatewayProxyStructuredResultV2> {
  const id = event.pathParameters?.['id'] ?? ''
  const status = await requestStatus({ store, name: 'exports', retention: '30d' }, id)
  if (status.state === 'completed') return answer(200, { ...status, file: await fileOf(id) })
  // It may wait on its queue, or never have been asked for: the table cannot tell these apart.
  if (status.state === 'unknown') return answer(404, status)
  return answer(200, status)
}

async function fileOf(exportId: string): Promise<string | undefined> {
  const Key = { exportId: { S: exportId } }
  const { Item } = await rows.send(
    new GetItemCommand({ TableName: 'exports', Key, ConsistentRead: true }),
  )
  return Item?.['file']?.S
}

function answer(statusCode: number, body: object): APIGatewayProxyStructuredResultV2 {
  return { statusCode, body: JSON.stringify(body) }
}
