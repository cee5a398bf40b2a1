import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, serveLambda } from '../doctor/lambdaServer.ts'
import { operatorHarness, startCloud } from './operatorHarness.ts'

const MAIN = resolve(import.meta.dirname, '../../../src/tools/cli/main.ts')
const FUNCTION = 'arn:aws:lambda:us-east-1:000000000000:function:orders'

const Statement = [
  {
    Effect: 'Allow',
    Principal: { Service: 'sns.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Condition: { ArnEquals: { 'aws:SourceArn': 'arn:aws:sns:us-east-1:000000000000:placed' } },
  },
]
/** Attributes of a queue that a topic may feed. */
const ADMITTING = { Policy: JSON.stringify({ Statement }) }

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

async function doctor(
  settings: Readonly<Record<string, string>>,
  options: readonly string[] = [],
  queue = 'book',
  ...more: readonly string[]
) {
  return lineclear({ settings, options }, 'doctor', '--queue', queue, ...more)
}

interface Around {
  readonly settings?: Readonly<Record<string, string>>
  /** Of Node.js. */
  readonly options: readonly string[]
  readonly cwd?: string
}

/** As a process, which finds its endpoints in the environment. */
async function lineclear({ settings = {}, options, cwd }: Around, ...typed: readonly string[]) {
  const env = { PATH: process.env['PATH'], HOME: '/nowhere', ...cloud.environment, ...settings }
  const args = ['--conditions=lineclear:source', ...options, MAIN, ...typed]
  return promisify(execFile)(process.execPath, args, { env, cwd }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  )
}

const served = (more: Partial<Served> = {}): Served => ({
  mappings: { [cloud.queueArn('book')]: [{ UUID: 'm1', FunctionArn: FUNCTION }] },
  functions: { [FUNCTION]: { Timeout: 300 } },
  ...more,
})

async function doctorWithLambda(more?: Partial<Served>) {
  await using lambda = await serveLambda(served(more))
  return await doctor({ AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint })
}

it('looks at mappings and functions, when the client of Lambda is installed', async () => {
  const { code, stdout, stderr } = await doctorWithLambda()
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toContain('m1: ReportBatchItemFailures is not set.')
  expect(stdout).toContain(
    'Cure: aws lambda update-event-source-mapping --uuid m1 --function-response-types ReportBatchItemFailures;',
  )
  expect(stdout).toContain(`Its visibility timeout is 600 s, the timeout of ${FUNCTION} 300 s.`)
  expect(stdout).not.toMatch(/Not checked.*partial-failures/)
})

it('prints in one line what it may not read, and the permission for it', async () => {
  const { code, stdout } = await doctorWithLambda({ refused: /./ })
  expect(code).toBe(1)
  const [line] = stdout.split('\n').filter((text) => text.includes('ListEventSourceMappings'))
  expect(line).toMatch(
    /^Not checked, because lambda:ListEventSourceMappings is not allowed: \d+ rules \(--verbose names them\)\. Allow lambda:ListEventSourceMappings/,
  )
})

it('--verbose names the rules that were not checked, and what to do about a note', async () => {
  const peers = withoutPeers('import')
  const [short, all] = [await doctor({}, peers), await doctor({}, peers, 'book', '--verbose')]
  const named = /^Not checked, because roles, alarms.*: .*event-queue-policy, .*\. Give --template/m
  expect(all.stdout).toMatch(named)
  expect(short.stdout).not.toMatch(named)
  const note = /^note .*RedriveAllowPolicy.*$/m
  expect(short.stdout).toMatch(note)
  expect(short.stdout.split(note)[1]).toMatch(/^\n\S/)
  expect(all.stdout.split(note)[1]).toMatch(/^\n {9}Any queue of the account.*\n {9}Cure: /)
})

/** As `import` finds nothing, and as the `require` of the built package does. */
const NOT_FOUND = {
  import: "next(name, { ...context, parentURL: 'file:///nowhere/main.mjs' })",
  require: `(() => {
    throw Object.assign(new Error(\`Cannot find module '\${name}'\\nRequire stack:\\n- /main.cjs\`), { code: 'MODULE_NOT_FOUND' })
  })()`,
}

/** Options of Node.js with which the clients of Lambda and SNS are not installed. */
function withoutPeers(loads: keyof typeof NOT_FOUND): readonly string[] {
  const hook = `import { registerHooks } from 'node:module'
    registerHooks({ resolve: (name, context, next) => /client-(lambda|sns)$/.test(name)
      ? ${NOT_FOUND[loads]} : next(name, context) })`
  return ['--import', `data:text/javascript,${encodeURIComponent(hook)}`]
}

describe.each(['import', 'require'] as const)('a client that %s does not find', (loads) => {
  it('is named in one line, and the rest is checked', async () => {
    const { code, stdout, stderr } = await doctor({}, withoutPeers(loads))
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const [line] = stdout.split('\n').filter((text) => text.includes('client-lambda'))
    expect(line).toMatch(
      /^Not checked, because @aws-sdk\/client-lambda is not installed: \d+ rules .*\. npm install --save-dev @aws-sdk\/client-lambda/,
    )
    expect(stdout).toContain(cloud.queueArn('dead'))
  })

  it('is named for the topics of a policy, which are not taken for none', async () => {
    const QueueUrl = cloud.queueUrl('ship')
    await cloud.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: ADMITTING }))
    const { stdout } = await doctor({}, withoutPeers(loads), 'ship')
    expect(stdout).toMatch(
      /^Not checked, because @aws-sdk\/client-sns is not installed: \d+ rules .*\. npm install --save-dev @aws-sdk\/client-sns/m,
    )
  })

  it.each(['pause', 'resume'])('is what %s says it needs', async (word) => {
    const given = word === 'pause' ? ['--for', '1h'] : []
    const options = withoutPeers(loads)
    const { code, stdout, stderr } = await lineclear({ options }, word, '--function', 'f', ...given)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr.split('\n')).toEqual([
      `lineclear: ${word} needs @aws-sdk/client-lambda, which is not installed.`,
      'Nothing was changed.',
      'Type: npm install --save-dev @aws-sdk/client-lambda',
      '',
    ])
  })
})

it('--local looks at the topics of the local cloud, and at no others', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'lineclear-'))
  await mkdir(join(cwd, '.lineclear'))
  const topics = await startLocalCloud({
    queues: { orders: {} },
    topics: { placed: { subscriptions: [{ queue: 'orders', raw: true }] } },
    tables: { lineclear: tableDefinition() },
  })
  const { sns, ...others } = topics.endpoints
  const look = async (endpoints: object) => {
    const file = join(cwd, '.lineclear/local.json')
    await writeFile(file, JSON.stringify({ ...endpoints, table: 'lineclear' }))
    const around = { cwd, options: [], settings: { AWS_ENDPOINT_URL_SNS: 'http://127.0.0.1:9' } }
    return lineclear(around, '--local', 'doctor', '--queue', 'orders', '--verbose')
  }
  const QueueUrl = topics.queueUrl('orders')
  await topics.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: ADMITTING }))
  const [named, unnamed] = [await look({ sns, ...others }), await look(others)]
  await Promise.all([topics.stop(), rm(cwd, { recursive: true })])
  expect(named.stdout).toContain('Raw delivery is on.')
  expect(unnamed.stdout).toContain('Not checked, because .lineclear/local.json names no "sns"')
})

it('--rate does not say that what it cannot know fits', async () => {
  const { cli } = await operatorHarness(cloud)
  const { code, out } = await cli('doctor', '--rate', '300')
  expect(code).toBe(0)
  expect(out.match(/^(?:delays|one row|one key) .* \?$/gm)).toHaveLength(3)
  const { ceilings } = JSON.parse((await cli('doctor', '--rate', '300', '--json')).out) as {
    readonly ceilings: readonly { readonly of: string; readonly fits?: boolean }[]
  }
  const known = ceilings.filter((each) => 'fits' in each).map(({ of }) => of)
  expect(known).toEqual(['table', 'index', 'search'])
})

it('a queue that does not exist ends with 4', async () => {
  const { code, stdout, stderr } = await doctor({}, [], 'no-such-queue')
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
  expect(stderr).toContain('there is no queue no-such-queue')
})

describe('of a template', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lineclear-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const Properties = { MessageRetentionPeriod: 345_600, SqsManagedSseEnabled: true }
  const queue = (more: object) => ({
    Type: 'AWS::SQS::Queue',
    Properties: { ...Properties, ...more },
  })

  async function check(Resources: object, ...options: readonly string[]) {
    const file = join(folder, 'template.json')
    await writeFile(file, JSON.stringify({ Resources }))
    const harness = await operatorHarness(cloud)
    return harness.cli('doctor', '--template', file, ...options)
  }

  it('--strict exits with 1 for a question, too', async () => {
    const right = readFileSync(
      resolve(MAIN, '../../../../examples/deploy/sam/template.yaml'),
      'utf8',
    )
    const file = join(folder, 'template.yaml')
    await writeFile(
      file,
      right.replace('BatchSize: 10', 'BatchSize: 10\n            Enabled: false'),
    )
    const { cli } = await operatorHarness(cloud)
    const template = ['doctor', '--template', file] as const
    expect(await cli(...template)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^question/),
    })
    expect(await cli(...template, '--strict')).toMatchObject({ code: 1 })
    await writeFile(file, right)
    expect(await cli(...template, '--strict')).toMatchObject({ code: 0 })
  })

  it('--circuit-breaker asks for receives', async () => {
    const RedrivePolicy = {
      deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] },
      maxReceiveCount: 10,
    }
    const resources = {
      Jobs: queue({ RedrivePolicy }),
      Dead: queue({}),
      Pay: { Type: 'AWS::Lambda::Function', Properties: {} },
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          FunctionName: { Ref: 'Pay' },
          EventSourceArn: { 'Fn::GetAtt': ['Jobs', 'Arn'] },
        },
      },
    }
    expect((await check(resources)).out).not.toContain('maxReceiveCount is 10')
    expect((await check(resources, '--circuit-breaker')).out).toContain('maxReceiveCount is 10')
  })
})
