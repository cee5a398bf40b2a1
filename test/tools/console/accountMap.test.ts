import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { deployedMap } from '../../../src/tools/console/deployedMap.ts'
import { fromTemplate } from '../../../src/tools/doctor/index.ts'
import { run } from '../cli/runHere.ts'
import { opened } from './consoleHere.ts'
import { jsonOf, nothingFound, served } from './served.ts'

const queue = (dead?: string) => ({
  Type: 'AWS::SQS::Queue',
  Properties:
    dead === undefined
      ? {}
      : {
          RedrivePolicy: {
            deadLetterTargetArn: { 'Fn::GetAtt': [dead, 'Arn'] },
            maxReceiveCount: 5,
          },
        },
})

const TEMPLATE = {
  Resources: {
    Placed: { Type: 'AWS::SNS::Topic' },
    Orders: queue('OrdersDead'),
    OrdersDead: queue(),
    Mails: queue(),
    ToOrders: {
      Type: 'AWS::SNS::Subscription',
      Properties: {
        Protocol: 'sqs',
        TopicArn: { Ref: 'Placed' },
        Endpoint: { 'Fn::GetAtt': ['Orders', 'Arn'] },
      },
    },
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        Policies: [
          {
            PolicyDocument: {
              Statement: [
                {
                  Effect: 'Allow',
                  Action: ['sqs:SendMessage'],
                  Resource: ['Orders', 'OrdersDead', 'Mails'].map((id) => ({
                    'Fn::GetAtt': [id, 'Arn'],
                  })),
                },
                {
                  Effect: 'Deny',
                  Action: 'sns:Publish',
                  Resource: { Ref: 'Placed' },
                },
              ],
            },
          },
        ],
      },
    },
    Worker: {
      Type: 'AWS::Lambda::Function',
      Properties: { Timeout: 10, Role: { 'Fn::GetAtt': ['Role', 'Arn'] } },
    },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Orders', 'Arn'] },
        FunctionName: { Ref: 'Worker' },
      },
    },
  },
}

it('a template is a map: topics, queues, who reads them, and where its role lets it send', () => {
  const { nodes, edges, source } = deployedMap(fromTemplate(TEMPLATE))
  expect(source).toBe('template')
  expect(nodes.map(({ id }) => id).toSorted()).toEqual([
    'deadLetterQueue:OrdersDead',
    'function:Worker',
    'queue:Mails',
    'queue:Orders',
    'topic:Placed',
  ])
  expect(edges.map(({ from, to }) => `${from} ${to}`).toSorted()).toEqual([
    'function:Worker queue:Mails',
    'queue:Orders deadLetterQueue:OrdersDead',
    'queue:Orders function:Worker',
    'topic:Placed queue:Orders',
  ])
})

describe('a console without live events and template', () => {
  const counts = [
    { of: 'orders', status: 'error', number: 2 },
    { of: 'orders', status: 'unknown', number: 1 },
    { of: 'mails', status: 'error', number: 4 },
    { of: 'delayed messages', status: 'scheduled', number: 9 },
  ]

  it('draws the consumers and flows with open requests, and says what that has cost', async () => {
    await using server = await served({
      again: async (args) => {
        const answered = await nothingFound(args)
        const cost = { queries: 72, units: 36, receives: 0 }
        return { ...answered, cost, answer: { ...answered.answer, counts } }
      },
    })
    const map = jsonOf(await server.ask('/api/map'))
    expect(map).toMatchObject({
      source: 'table',
      line: 'lineclear stats',
      cost: { queries: 72 },
      edges: [],
    })
    expect(map['nodes']).toEqual([
      {
        id: 'function:orders',
        kind: 'function',
        name: 'orders',
        consumers: ['orders'],
        open: 3,
      },
      {
        id: 'function:mails',
        kind: 'function',
        name: 'mails',
        consumers: ['mails'],
        open: 4,
      },
    ])
  })

  it('says that the table gives no answer', async () => {
    await using server = await served({
      again: async (args) => ({ ...(await nothingFound(args)), exit: 3 }),
    })
    expect((await server.ask('/api/map')).status).toBe(502)
  })
})

describe('lineclear console --template', () => {
  const write = (text: string) => {
    const place = mkdtempSync(join(tmpdir(), 'lineclear-'))
    onTestFinished(() => rmSync(place, { recursive: true }))
    const file = join(place, 'template.json')
    writeFileSync(file, text)
    return file
  }

  it('draws the template, and names it', async () => {
    const file = write(JSON.stringify(TEMPLATE))
    const console = await opened(['--template', file], {})
    const { status, json } = await console.get('map')
    expect({ status, source: json['source'] }).toEqual({ status: 200, source: 'template' })
    expect(JSON.stringify(json)).toContain('deadLetterQueue:OrdersDead')
    expect((await console.get('session')).json['session']).toMatchObject({ mapFiles: [file] })
    expect(await console.stop()).toBe(0)
  })

  it('refuses a file that is no template, before it serves', async () => {
    const { code, err } = await run(['console', '--template', write('{}')])
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('No console was started'),
    })
  })
})
