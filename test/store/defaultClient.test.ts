import { dynamoDbStore } from 'lineclear/dynamodb'
import { expect, it, vi } from 'vitest'

const clientOf = () => dynamoDbStore({ tableName: 'lineclear' }).source?.client()

it('stores that are made in each call share one client and its connections: Lambda has 1,024 files', () => {
  vi.stubEnv('AWS_REGION', 'eu-west-1')
  const first = clientOf()
  expect(first).toBeDefined()
  expect(clientOf()).toBe(first)
  vi.stubEnv('AWS_REGION', 'eu-west-2')
  expect(clientOf()).not.toBe(first)
})
