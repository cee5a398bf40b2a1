import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { tableDefinition, timeToLive } from 'lineclear/dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { diagnose, fromTemplate } from '../../../src/ops/doctor/index.ts'
import { checkTemplate } from './checkTemplate.ts'
import { type Packaged, packageService, type Template } from './packaged.ts'
import { planted } from './planted.ts'
import { readmeActions } from './readmeActions.ts'
import { runOrders } from './runOrders.ts'

let service: Packaged
let template: Template

beforeAll(async () => {
  service = await packageService()
  template = service.template
}, 180_000)

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

describe('permissions', () => {
  it('name actions and resources, and never scan', () => {
    const roles = fromTemplate(template).roles
    expect(roles).toHaveLength(30)
    for (const { id, statements } of roles) {
      // X-Ray knows no resources.
      const own = statements.filter(
        ({ actions }) => !actions.every((each) => each.startsWith('xray:')),
      )
      const words = own.flatMap(({ actions, resources }) => [...actions, ...resources])
      // The name of an object is a hash, so a role has to name all objects under the prefix.
      const narrow = words.map((word) => word.replace(/\/lineclear-payloads\/\*$/, ''))
      const wide = narrow.filter((word) => word.includes('*') || /scan/i.test(word))
      expect({ id, wide }).toEqual({ id, wide: [] })
    }
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

describe('the bucket of large payloads', () => {
  const propertiesOf = (id: string) => template.Resources[id]?.Properties ?? {}

  it('is encrypted, closed to the public, and expires them after all that can wait for them', () => {
    const retention = 30
    const longestWaitOfADeadLetter = 14
    const { BucketEncryption, ...rest } = propertiesOf('PayloadsBucket')
    expect(JSON.stringify(BucketEncryption)).toContain('AES256')
    expect(new Set(Object.values(rest['PublicAccessBlockConfiguration'] as object))).toEqual(
      new Set([true]),
    )
    const { Rules } = rest['LifecycleConfiguration'] as { Rules: Record<string, unknown>[] }
    expect(Rules).toMatchObject([{ Status: 'Enabled', Prefix: 'lineclear-payloads/' }])
    expect(Number(Rules[0]?.['ExpirationInDays'])).toBeGreaterThan(
      retention + longestWaitOfADeadLetter,
    )
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
      const { Variables } = Properties['Environment'] as { Variables: Record<string, unknown> }
      const missing = readBy(String(Properties['Handler'])).filter((name) => !(name in Variables))
      expect({ id, missing }).toEqual({ id, missing: [] })
    }
  })

  it('are small, and carry no TypeScript and no lock file', () => {
    for (const name of ['orders', 'charge', 'found', 'payments', 'sweeper']) {
      const { bytes, files } = service.artefact(name)
      expect(bytes).toBeLessThan(1_000_000)
      expect([...files.keys()].map((file) => file.replace(/^.*\/[^.]+/, ''))).toEqual([
        '.mjs',
        '.mjs.map',
      ])
    }
  })
})

describe('alarms', () => {
  it('compare begun with completed handlers by the names under which these report', () => {
    const { mappings } = fromTemplate(template)
    expect(mappings).toHaveLength(22)
    for (const { function: id } of mappings) {
      const [difference, started, completed] = mathOf(id.replace('LambdaFunction', 'UnendedAlarm'))
      expect(difference?.Expression).toBe('FILL(started, 0) - FILL(completed, 0)')
      expect([started?.Id, completed?.Id]).toEqual(['started', 'completed'])
      const names = started?.MetricStat?.Metric.Dimensions.map(({ Value }) => Value) ?? []
      const source = sourceOf(String(template.Resources[id]?.Properties['Handler']))
      expect(names.length).toBeGreaterThan(0)
      expect(names.filter((name) => !source.includes(`'${name}'`))).toEqual([])
    }
  })
})

interface MetricQuery {
  readonly Id: string
  readonly Expression?: string
  readonly MetricStat?: {
    readonly Metric: { readonly Dimensions: readonly { readonly Value: string }[] }
  }
}

function mathOf(alarm: string): readonly MetricQuery[] {
  return template.Resources[alarm]?.Properties['Metrics'] as readonly MetricQuery[]
}

it('the bundle of orders takes a message from the queue, and reserves once', async () => {
  const { files } = service.artefact('orders')
  expect(await runOrders(files)).toEqual({ reserved: '2', paid: 1 })
}, 90_000)

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
