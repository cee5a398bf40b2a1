import { PAYLOAD_DAYS } from '../../../src/library/base/limits/lifetime.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { tableDefinition, timeToLive } from 'lineclear/dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTemplate } from '../../tools/doctor/from.ts'
import { REPORTERS } from '../../features/metrics/catalogue.ts'
import { nextOf } from './alarmRows.ts'
import { checkTemplate } from './checkTemplate.ts'
import { type Packaged, packageService, type Template } from './packaged.ts'
import { lambdas, NOT_DEPLOYED } from './lambdas.ts'
import { planted } from './planted.ts'
import { plantedUnsafe } from './plantedUnsafe.ts'
import { readmeActions } from './readmeActions.ts'
import { runOrders } from './runOrders.ts'
import { type Known, unsafeIn } from './unsafe.ts'

let service: Packaged
let template: Template

beforeAll(async () => {
  service = await packageService()
  template = service.template
})

afterAll(() => {
  service.remove()
})

describe('the template', () => {
  it('is accepted by the schema of CloudFormation', async () => {
    expect(await checkTemplate(template)).toEqual([])
  })

  it.each([
    [
      'an unknown property',
      { VisibilityTimeOut: 180 },
      'OrdersQueue: no property VisibilityTimeOut',
    ],
    ['a wrong type', { VisibilityTimeout: 'long' }, 'OrdersQueue.VisibilityTimeout: not a number'],
    ['a text for a list', { Tags: 'a' }, 'OrdersQueue.Tags: not a list'],
  ])('would be refused with %s', async (_, properties, message) => {
    const wrong = structuredClone(template)
    Object.assign(wrong.Resources['OrdersQueue']?.Properties ?? {}, properties)
    expect(await checkTemplate(wrong)).toEqual([message])
  })

  it('would be refused without what is required', async () => {
    const wrong = structuredClone(template)
    delete wrong.Resources['OrdersLambdaFunction']?.Properties['Role']
    expect(await checkTemplate(wrong)).toEqual(['OrdersLambdaFunction: Role is missing'])
  })

  it('has the table that the store creates', () => {
    const table = template.Resources['LineclearTable']?.Properties
    const { TableName: _, ...ttl } = timeToLive()
    expect(table).toMatchObject({ ...tableDefinition(), ...ttl })
  })

  it('breaks no delivery rule', () => {
    const findings = diagnose(fromTemplate(template))
    expect(findings.filter(({ severity }) => severity !== 'unchecked')).toEqual([])
    // Other systems consume these.
    expect(findings.map(({ subject }) => subject).toSorted()).toEqual([
      'AirlineQueue',
      'AnswersQueue',
      'HotelQueue',
      'RebuiltQueue',
      'ReceiptsQueue',
    ])
  })

  it.each(planted)('is found wrong by %s: $2', (rule, plant) => {
    const wrong = structuredClone(template)
    plant((id) => {
      const found = wrong.Resources[id]
      if (found === undefined) throw new Error(`no resource ${id}`)
      return found.Properties
    }, wrong.Resources)
    expect(diagnose(fromTemplate(wrong)).map((finding) => finding.rule)).toContain(rule)
  })
})

describe('what is deployed', () => {
  const known: Known = {
    signed: new Set(['AnswerLambdaFunction', 'CallbacksLambdaFunction']),
    unlimited: new Set(['SweeperRole']),
  }

  it('is closed to strangers, and to other functions', () => {
    expect(unsafeIn(template, known)).toEqual([])
  })

  it.each(plantedUnsafe)('is found unsafe: %s', (finding, plant) => {
    const wrong = structuredClone(template)
    plant((id) => {
      const found = wrong.Resources[id]
      if (found === undefined) throw new Error(`no resource ${id}`)
      return found.Properties
    }, wrong.Resources)
    expect(unsafeIn(wrong, known)).toContain(finding)
  })

  it('verifies a signature before anything else, where a route has no authorizer', () => {
    const signed = functions().filter(({ id }) => known.signed.has(id))
    expect(signed).toHaveLength(known.signed.size)
    for (const { source } of signed) expect(source).toContain("verify(event, process.env['WEBHOOK_")
  })

  it('names the invocation on each line of a handler that logs by itself', () => {
    const logging = functions().filter(({ source }) => /(?<!ctx\.)logger\.\w+\(/.test(source))
    expect(logging.map(({ id }) => id)).toEqual(['AnswerLambdaFunction', 'CallbacksLambdaFunction'])
    for (const { source } of logging) expect(source).toContain('logger.addContext(context)')
  })

  it('lets alarms reach their topic, though its policy is not the one that topics are made with', () => {
    const { PolicyDocument } = template.Resources['AlarmTopicPolicy']?.Properties ?? {}
    expect(PolicyDocument).toMatchObject({
      Statement: [{}, { Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' } }],
    })
  })

  it('is every example that is a Lambda, or says why not', () => {
    const deployed = functions().map(({ handler }) => handler)
    const shown = Object.keys(NOT_DEPLOYED)
    expect([...deployed, ...shown].toSorted()).toEqual(lambdas().toSorted())
  })

  it('fits into one stack', () => {
    expect(Object.keys(template.Resources).length).toBeLessThanOrEqual(500)
  })
})

describe('permissions', () => {
  it('name actions and resources, and only the sweeper scans, its table', () => {
    const roles = fromTemplate(template).roles
    expect(roles).toHaveLength(32)
    for (const { id, statements } of roles) {
      // X-Ray knows no resources.
      const own = statements.filter(
        ({ actions }) => !actions.every((each) => each.startsWith('xray:')),
      )
      const words = own.flatMap(({ actions, resources }) => [...actions, ...resources])
      // The name of an object is a hash, so a role has to name all objects under the prefix.
      const narrow = words.map((word) => word.replace(/\/lineclear\/\*$/, ''))
      const wide = narrow.filter((word) => word.includes('*') || /scan/i.test(word))
      expect({ id, wide }).toEqual({ id, wide: id === 'SweeperRole' ? ['dynamodb:Scan'] : [] })
    }
    const sweeper = roles.find(({ id }) => id === 'SweeperRole')
    const scans = sweeper?.statements.filter(({ actions }) => actions.includes('dynamodb:Scan'))
    expect(scans?.map(({ resources }) => resources)).toEqual([['LineclearTable']])
  })

  it.each([
    ['of a consumer', 'OrdersRole'],
    ['of the sweeper', 'SweeperRole'],
  ])('%s are those of the runbook', (row, id) => {
    const statements = fromTemplate(template).roles.find((role) => role.id === id)?.statements ?? []
    const granted = statements.flatMap(({ actions }) => actions)
    const ours = granted.filter((action) => !action.startsWith('logs:'))
    expect(new Set(ours)).toEqual(new Set(readmeActions(row)))
  })

  it('let each consumer receive from its own queue only', () => {
    const { roles, mappings, functions } = fromTemplate(template)
    for (const mapping of mappings) {
      const role = functions.find(({ id }) => id === mapping.function)?.role
      const statements = roles.find(({ id }) => id === role)?.statements ?? []
      const received = statements.filter(({ actions }) => actions.includes('sqs:ReceiveMessage'))
      expect(received.flatMap(({ resources }) => resources)).toEqual([mapping.queue])
    }
  })
})

/** The first dimension of every metric of Lineclear's. */
const TABLE = { Name: 'table', Value: { Ref: 'LineclearTable' } }

describe('pauses', () => {
  it('find each consumer by the names under which it reports', () => {
    for (const { function: id } of fromTemplate(template).mappings) {
      const { Tags } = template.Resources[id]?.Properties ?? {}
      const tags = new Map(
        (Tags as { Key: string; Value: string }[]).map((tag) => [tag.Key, tag.Value]),
      )
      const [table, ...Dimensions] =
        alarmOf(id.replace('LambdaFunction', 'UnendedAlarm')).Dimensions ?? []
      expect(table).toEqual(TABLE)
      const named = Dimensions.map(({ Name }) => ({ Name, Value: tags.get(`lineclear:${Name}`) }))
      expect(named.length).toBeGreaterThan(0)
      expect(named).toEqual(Dimensions)
    }
  })

  it('are ended by the sweeper, which may enable every mapping', () => {
    const { roles, mappings } = fromTemplate(template)
    const sweeper = roles.find(({ id }) => id === 'SweeperRole')?.statements ?? []
    const resumed = sweeper.filter(({ actions }) =>
      actions.includes('lambda:UpdateEventSourceMapping'),
    )
    expect(resumed.flatMap(({ resources }) => resources).toSorted()).toEqual(
      mappings.map(({ id }) => id).toSorted(),
    )
  })
})

describe('the bucket of large payloads', () => {
  const propertiesOf = (id: string) => template.Resources[id]?.Properties ?? {}

  it('is encrypted, closed to the public, and expires them after all that can wait for them', () => {
    const { BucketEncryption, ...rest } = propertiesOf('PayloadsBucket')
    expect(JSON.stringify(BucketEncryption)).toContain('AES256')
    expect(new Set(Object.values(rest['PublicAccessBlockConfiguration'] as object))).toEqual(
      new Set([true]),
    )
    const { Rules } = rest['LifecycleConfiguration'] as { Rules: Record<string, unknown>[] }
    expect(Rules).toMatchObject([{ Status: 'Enabled', Prefix: 'lineclear/' }])
    expect(Rules[0]?.['ExpirationInDays']).toBe(PAYLOAD_DAYS)
  })

  it('takes requests over TLS only', () => {
    expect(propertiesOf('PayloadsBucketPolicy')['PolicyDocument']).toMatchObject({
      Statement: [
        { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } }, Action: 's3:*' },
      ],
    })
  })

  it('is open to its two consumers, for reading and writing under the prefix', () => {
    const s3 = fromTemplate(template).roles.flatMap(({ id, statements }) =>
      statements.flatMap(({ actions, resources }) =>
        actions
          .filter((action) => action.startsWith('s3:'))
          .map((action) => [id, action, resources.length]),
      ),
    )
    expect(s3).toEqual(
      ['WriteRole', 'ArchiveRole'].flatMap((id) =>
        ['s3:GetObject', 's3:PutObject', 's3:ListBucket'].map((action) => [id, action, 1]),
      ),
    )
  })
})

describe('functions', () => {
  it('get every environment variable that their handlers read', () => {
    for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
      if (Type !== 'AWS::Lambda::Function') continue
      const { Variables = {} } = (Properties['Environment'] ?? {}) as {
        Variables?: Record<string, unknown>
      }
      const missing = readBy(String(Properties['Handler'])).filter((name) => !(name in Variables))
      expect({ id, missing }).toEqual({ id, missing: [] })
    }
  })

  it('are small, and carry no TypeScript and no lock file', () => {
    for (const name of ['orders', 'charge', 'found', 'payments', 'sweeper']) {
      const { bytes, files } = service.artefact(name)
      expect(bytes).toBeLessThan(1_000_000)
      const ends = [...files.keys()].map((file) => file.replace(/^.*?\.(?=mjs)/, ''))
      expect(new Set(ends)).toEqual(new Set(['mjs', 'mjs.map']))
    }
  })

  it('carry all files that they import, and none of other functions', () => {
    for (const name of ['orders', 'charge', 'ledger', 'cleanUp', 'sweeper']) {
      const { files } = service.artefact(name)
      const handler = [...files.keys()].find((file) => /\/[^.]+\.mjs$/.test(file)) ?? ''
      const found = new Set([handler])
      for (const file of found) {
        const text = files.get(file)?.toString() ?? ''
        for (const [, chunk] of text.matchAll(/["'`]\.\/([\w.-]+\.mjs)["'`]/g)) {
          found.add(join(dirname(handler), chunk ?? ''))
        }
      }
      const missing = [...found].filter((file) => !files.has(file))
      const own = handler.replace(/mjs$/, '')
      const foreign = [...files.keys()].filter((file) => !file.startsWith(own))
      expect({ name, missing, foreign }).toEqual({ name, missing: [], foreign: [] })
    }
    expect(service.artefact('orders').files.size).toBeGreaterThan(10)
  })
})

describe('alarms', () => {
  it('count lost attempts by the names under which the handlers report', () => {
    const { mappings } = fromTemplate(template)
    expect(mappings).toHaveLength(22)
    for (const { function: id } of mappings) {
      const alarm = alarmOf(id.replace('LambdaFunction', 'UnendedAlarm'))
      expect(alarm).toMatchObject({ Namespace: 'Lineclear', MetricName: 'lostAttempts' })
      expect(alarm.Dimensions).toBeOneOf([
        [TABLE, { Name: 'consumer', Value: expect.any(String) }],
        [
          TABLE,
          { Name: 'flow', Value: expect.any(String) },
          { Name: 'stage', Value: expect.any(String) },
        ],
      ])
      const source = sourceOf(String(template.Resources[id]?.Properties['Handler']))
      const names = (alarm.Dimensions ?? []).slice(1).map(({ Value }) => Value)
      expect(names.filter((name) => !source.includes(`'${name}'`))).toEqual([])
    }
  })

  it('find a reporter behind every consumer and every function that counts calls', () => {
    const silent = functions().filter(({ source }) => {
      const counts = /\b(?:recordHandler|defineFlow|invocationHandler|onceForever|idempotent\w*)\(/
      return counts.test(source) && !source.includes('emfMetrics(')
    })
    expect(silent.map(({ id }) => id)).toEqual([])
    expect(functions()).toHaveLength(31)
  })

  it('watch the errors, throttles and duration of every function', () => {
    const kinds = ['ErrorsAlarm', 'ThrottlesAlarm', 'DurationAlarm']
    const missing = functions().flatMap(({ id }) =>
      kinds.map((kind) => id.replace('LambdaFunction', kind)).filter((each) => !has(each)),
    )
    expect(missing).toEqual([])
  })

  it('watch calls that are refused, under the names that report them', () => {
    const watched = alarms().filter(([id]) => id.endsWith('RefusingAlarm'))
    expect(watched.map(([id]) => id)).toEqual(
      ['Payments', 'Bookings', 'PaymentsMiddy', 'Refunds', 'Callbacks', 'Settlement'].map(
        (id) => `${id}RefusingAlarm`,
      ),
    )
    const calls = REPORTERS.find(({ by }) => by.includes('name'))?.metrics ?? {}
    for (const [id, { Metrics = [] }] of watched) {
      const metrics = Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])
      expect(metrics.filter(({ MetricName }) => !(MetricName in calls))).toEqual([])
      const source = functions().find(
        ({ id: own }) => own === id.replace('RefusingAlarm', 'LambdaFunction'),
      )?.source
      const [name] = metrics.flatMap(({ Dimensions }) =>
        Dimensions.filter(({ Name }) => Name === 'name').map(({ Value }) => Value),
      )
      expect(source).toContain(`'${name}'`)
    }
  })

  it('watch every queue on which something waits for an operator', () => {
    const queues = Object.entries(template.Resources).filter(
      ([id, { Type }]) =>
        Type === 'AWS::SQS::Queue' && /(?:DeadLetters|Undelivered|Undone)$/.test(id),
    )
    expect(queues.length).toBeGreaterThan(22)
    expect(queues.map(([id]) => `${id}Alarm`).filter((id) => !has(id))).toEqual([])
  })

  it('say what to type next, as the runbook does', () => {
    expect(alarms().length).toBeGreaterThan(180)
    for (const [id, { AlarmDescription }] of alarms()) {
      const text = textOf(AlarmDescription)
      const [, next] = text.split(' Next: ')
      const isConsumer = has(id.replace(NAME_OF_KIND, 'Queue'))
      expect({ id, next: next && asInRunbook(next) }).toEqual({ id, next: nextOf(id, isConsumer) })
      expect(text.length).toBeLessThan(1_024)
    }
  })
})

const NAME_OF_KIND =
  /(?:Age|DeadLetters|Undelivered|Unended|Refusing|Errors|Throttles|Duration|Recursion)Alarm$/

/** A queue is QUEUE there, and any consumer, flow or name is orders. */
function asInRunbook(next: string): string {
  return next
    .replace(/\$\{\w+\.QueueName\}/, 'QUEUE')
    .replace(/--(?:flow|consumer) \S+/, '--consumer orders')
}

function textOf(description: unknown): string {
  return typeof description === 'string'
    ? description
    : (description as { readonly 'Fn::Sub': string })['Fn::Sub']
}

interface Measured {
  readonly MetricName: string
  readonly Dimensions: readonly { readonly Name: string; readonly Value: string }[]
}

interface Alarm extends Partial<Measured> {
  readonly AlarmDescription: unknown
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: Measured } }[]
}

function alarms(): [id: string, Alarm][] {
  return Object.entries(template.Resources)
    .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
    .map(([id, { Properties }]) => [id, Properties as unknown as Alarm])
}

function alarmOf(id: string): Alarm {
  const found = alarms().find(([each]) => each === id)
  if (found === undefined) throw new Error(`no alarm ${id}`)
  return found[1]
}

function has(id: string): boolean {
  return id in template.Resources
}

interface Deployed {
  readonly id: string
  readonly handler: string
  readonly source: string
}

function functions(): Deployed[] {
  return Object.entries(template.Resources)
    .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
    .map(([id, { Properties }]) => {
      const handler = String(Properties['Handler'])
      return { id, handler, source: sourceOf(handler) }
    })
}

it('the bundle of orders takes a message from the queue, and reserves once', async () => {
  const { files } = service.artefact('orders')
  expect(await runOrders(files)).toEqual({ reserved: '2', paid: 1 })
})

const ROOT = resolve(import.meta.dirname, '../../..')

/** By the sources in the handler's folder that are part of it. */
function readBy(handler: string): string[] {
  return [...sourceOf(handler).matchAll(/process\.env\['(\w+)'\]/g)].map(([, name = '']) => name)
}

function sourceOf(handler: string): string {
  const file = join(ROOT, `${handler.replace(/\.\w+$/, '')}.ts`)
  expect(readdirSync(resolve(file, '..'))).toContain(file.split('/').at(-1))
  return readFileSync(file, 'utf8')
}
