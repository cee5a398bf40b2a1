import { LambdaClient } from '@aws-sdk/client-lambda'
import {
  GetEventSourceMappingCommand,
  ListEventSourceMappingsCommand,
  ListTagsCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda'
import {
  type LocalCloud,
  type ServedMapping,
  serveMappings,
  startLocalCloud,
} from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { quietMapping, sendMany } from './helpers.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({ queues: { orders: {}, mails: {} } })
})
afterAll(() => cloud.stop())

const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }

function lambdaAt(endpoint: string): LambdaClient {
  return new LambdaClient({ endpoint, region: cloud.region, credentials })
}

it('refuses to change what it cannot, so that nobody takes it for done', async () => {
  await using server = await serveMappings([
    quietMapping({ cloud, queue: 'mails', handler: async () => {} }),
  ])
  const lambda = lambdaAt(server.endpoint)
  const { EventSourceMappings: [{ UUID } = {}] = [] } = await lambda.send(
    new ListEventSourceMappingsCommand(),
  )
  const update = new UpdateEventSourceMappingCommand({ UUID, BatchSize: 1, Enabled: true })
  await expect(lambda.send(update)).rejects.toMatchObject({
    name: 'InvalidParameterValueException',
    message: 'This server changes Enabled only, and not BatchSize.',
  })
})

it('lists mappings with their tags, and pauses and resumes one as Lambda does', async () => {
  const tags = { 'lineclear:consumer': 'orders' }
  const handled: number[] = []
  const orders = quietMapping({
    cloud,
    queue: 'orders',
    tags,
    handler: async ({ Records }) => void handled.push(Records.length),
  })
  const mails = quietMapping({ cloud, queue: 'mails', handler: async () => {} })
  await using server = await serveMappings([orders, mails])
  const lambda = lambdaAt(server.endpoint)
  const all = await lambda.send(new ListEventSourceMappingsCommand({}))
  expect(all.EventSourceMappings?.map(({ FunctionArn, State }) => [FunctionArn, State])).toEqual([
    [orders.functionArn, 'Enabled'],
    [mails.functionArn, 'Enabled'],
  ])
  const ofQueue = { EventSourceArn: cloud.queueArn('orders') }
  const { EventSourceMappings: [found] = [] } = await lambda.send(
    new ListEventSourceMappingsCommand(ofQueue),
  )
  const byName = await lambda.send(new ListEventSourceMappingsCommand({ FunctionName: 'mails' }))
  expect(byName.EventSourceMappings).toHaveLength(1)
  const Resource = orders.functionArn
  expect((await lambda.send(new ListTagsCommand({ Resource }))).Tags).toEqual(tags)
  const UUID = found?.UUID ?? ''
  const paused = await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }))
  expect([paused.State, orders.state, mails.state]).toEqual(['Disabled', 'paused', 'enabled'])
  await sendMany(cloud, 'orders', 1)
  expect((await lambda.send(new GetEventSourceMappingCommand({ UUID }))).State).toBe('Disabled')
  expect(handled).toEqual([])
  await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: true }))
  await orders.drained({ timeout: '10m' })
  expect(handled).toEqual([1])
  lambda.destroy()
})

it('asks for the list at each request, and knows no other mapping', async () => {
  let list: readonly ServedMapping[] = []
  const server = await serveMappings(() => list)
  const lambda = lambdaAt(server.endpoint)
  const UUID = '00000000-0000-4000-8000-000000000001'
  await expect(lambda.send(new GetEventSourceMappingCommand({ UUID }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  })
  list = [
    {
      queueArn: 'arn:aws:sqs:us-east-1:000000000000:a',
      functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:a',
      state: 'pausing',
      tags: {},
      pause: async () => {},
      resume: () => {},
    },
  ]
  expect((await lambda.send(new GetEventSourceMappingCommand({ UUID }))).State).toBe('Disabling')
  lambda.destroy()
  await server.stop()
  await expect(fetch(server.endpoint)).rejects.toThrow('fetch failed')
})
