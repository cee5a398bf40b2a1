import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient } from '@aws-sdk/client-sqs'
import { afterEach, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/tools/cli/commands.ts'
import { errorHelp } from '../../../src/tools/cli/errorHelp.ts'
import { run } from './runHere.ts'

const open: { close(): void }[] = []
afterEach(() => {
  for (const each of open.splice(0)) each.close()
})

/** An AWS endpoint that refuses everything for one reason. */
async function refusing(type: string, message: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
    response.end(JSON.stringify({ __type: `com.amazon#${type}`, message }))
  })
  open.push(server)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function lineclear(endpoint: string, ...args: readonly string[]) {
  const config = {
    endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
    maxAttempts: 1,
  }
  const clients = { dynamodb: new DynamoDBClient(config), sqs: new SQSClient(config) }
  open.push({ close: () => clients.dynamodb.destroy() }, { close: () => clients.sqs.destroy() })
  const said: string[] = []
  const { code } = await run(args, {
    out: (line) => void said.push(`out: ${line}`),
    err: (line) => void said.push(line),
    ...clients,
  })
  return { code, said }
}

const NOTHING = 'Nothing was changed.'
const APPLY =
  'Earlier changes are kept; whether the last change was made is unknown. Run the same command again: it does what is left, and nothing twice.'

describe('a failed call: the error says what failed, what was changed and what to do', () => {
  it.for([
    [
      'ResourceNotFoundException',
      'There is no table lineclear in this account and region.',
      '--table',
    ],
    ['UnrecognizedClientException', 'AWS rejects the credentials', 'Sign in again'],
    ['ExpiredTokenException', 'AWS rejects the credentials', 'Sign in again'],
    ['AccessDeniedException', 'These credentials lack a permission', 'permissions of an operator'],
    ['ThrottlingException', 'AWS throttles the calls', 'in a minute'],
    ['ValidationException', 'DynamoDB', 'Run the command again'],
  ] as const)('%s', async ([type, what, next]) => {
    const { code, said } = await lineclear(await refusing(type, 'no'), 'ls')
    expect(code).toBe(3)
    expect(said).toHaveLength(3)
    expect(said[0]).toContain(`lineclear: ${what}`)
    expect(said[1]).toBe(NOTHING)
    expect(said[2]).toContain(next)
    expect(said.join(' ')).not.toMatch(/record|batch|handler/)
  })

  it('no server listens', async () => {
    const { code, said } = await lineclear('http://127.0.0.1:9', 'decide', 'a/b', 'free')
    expect(code).toBe(3)
    expect(said[0]).toBe('lineclear: AWS does not answer (connect ECONNREFUSED 127.0.0.1:9).')
    expect(said[1]).toBe(NOTHING)
    expect(said[2]).toContain('--region')
    expect(said[2]).toContain('--local')
  })

  it.for([
    [['decide', 'a/b', 'free', '--apply'], APPLY],
    [['dlq', 'redrive', 'dead', '--apply'], APPLY],
    [['sweep', '--apply'], APPLY],
    [['dlq', 'redrive', '--continue', '7f3a91c2', '--apply', '7f3a91c2'], APPLY],
    [['status', '--plan', '7f3a91c2'], NOTHING],
    [
      ['dlq', 'redrive', 'dead'],
      'Dead letters that were looked at become visible again after a minute.',
    ],
    [['sweep'], NOTHING],
  ] as const)('%j says whether something may have been changed', async ([args, done]) => {
    const { code, said } = await lineclear(await refusing('AccessDeniedException', 'no'), ...args)
    expect(code).toBe(3)
    expect(said[1]).toContain(done)
  })

  it('what cannot have reached the table has changed nothing, also with --apply', async () => {
    const endpoint = await refusing('ResourceNotFoundException', 'no')
    const { said } = await lineclear(endpoint, 'decide', 'a/b', 'free', '--apply')
    expect(said[1]).toBe(NOTHING)
  })
})

const PLAN = '7f3a91c2'

/** Each command that calls AWS, and each of its ways to begin. */
const CALLING: readonly (readonly string[])[] = [
  ['status'],
  ['status', '--handover'],
  ['status', '--plan', PLAN],
  ['ls'],
  ['ls', '--count'],
  ['explain', 'orders/o-1'],
  ['explain', 'o-1', '--scan'],
  ['explain', '--name', 'refunds', '--key', 'k', '--scan'],
  ['explain', '--history'],
  ['reconcile', '--consumer', 'orders', '--ledger', '-', '--until', '1m'],
  ['doctor', '--queue', 'orders'],
  ['decide'],
  ['decide', 'orders/o-1'],
  ['decide', 'orders/o-1', 'done', '--apply', PLAN],
  ['decide', PLAN, 'done'],
  ['forget', 'orders/o-1'],
  ['sweep'],
  ['sweep', '--search', '--apply'],
  ['redrive', 'orders/o-1'],
  ['redrive', 'o-1'],
  ['dlq', 'groups'],
  ['dlq', 'groups', '--counts'],
  ['dlq', 'peek', 'dead'],
  ['dlq', 'redrive', 'dead'],
  ['dlq', 'redrive', '--continue', PLAN],
  ['dlq', 'edit', 'dead', '--id', 'o-1', '--set', 'total=2'],
  ['dlq', 'discard', 'dead', '--apply', PLAN],
  ['dlq', 'restore', PLAN],
  ['pause', '--queue', 'orders', '--for', '1h'],
  ['resume', '--queue', 'orders'],
]

const FRAME = /^\s*at .*:\d+|\bnode:internal|\.ts:\d+|\[object Object\]/m

describe('no command shows a stack', () => {
  it('knows all commands that call AWS', () => {
    const served = ['console', 'dev', 'init', 'completion']
    const called = COMMANDS.map(({ words }) => words).filter((words) => !served.includes(words))
    const tried = CALLING.map((args) => args.join(' '))
    const others = called.filter(
      (words) => !tried.some((each) => `${each} `.startsWith(`${words} `)),
    )
    expect(others).toEqual([])
  })

  it.each(CALLING.map((args) => [args.join(' '), args] as const))('%s', async (_, args) => {
    const places = {
      'wrong table': await refusing('ResourceNotFoundException', 'no'),
      denied: await refusing('AccessDeniedException', 'User: ann is not authorized'),
      'wrong Region': 'http://sqs.nowhere-7.invalid',
    }
    for (const [place, endpoint] of Object.entries(places)) {
      const { code, said } = await lineclear(endpoint, ...args)
      expect({ place, code, frame: FRAME.exec(said.join('\n'))?.[0] }).toEqual({
        place,
        code: expect.toBeOneOf([1, 3, 4]),
        frame: undefined,
      })
      expect(said).not.toEqual([])
      expect(said.join('\n')).not.toMatch(/No problem found|Nothing found\./)
    }
  })
})

it('a Region that is no name of a host is said to be none', () => {
  const error = new Error('Region not accepted: region="x y" is not a valid hostname component.')
  const asked = { command: 'status', local: false, apply: false, table: 'lineclear' }
  expect(errorHelp(error, asked)[0]).toMatch(/^There is no such Region/)
})
