import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseText } from '../../../src/tools/doctor/input/parseText.ts'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { run } from '../cli/runHere.ts'
import { fromTemplate } from '../doctor/from.ts'

/* In a project that init has not written: what its author has written stays as it is, byte for byte. */

let folder: string
let outside: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lineclear-beside-'))
  outside = mkdtempSync(join(tmpdir(), 'lineclear-outside-'))
})

afterEach(() => {
  for (const each of [folder, outside]) rmSync(each, { recursive: true, force: true })
})

const type = (...args: readonly string[]) => run(args, { cwd: folder })
const read = (path: string, from = folder): string => readFileSync(join(from, path), 'utf8')
const held = (from = folder): string[] =>
  readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(from.length + 1))
    .toSorted()

type Files = Readonly<Record<string, string>>

function give(files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

const TEMPLATE = `AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Resources:
  OrdersQueue:
    Type: AWS::SQS::Queue
  Orders:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: nodejs22.x
      Handler: src/orders.handler
      CodeUri: .
      Events:
        Q:
          Type: SQS
          Properties: { Queue: !GetAtt OrdersQueue.Arn }
`

const OWN = {
  sam: { 'template.yaml': TEMPLATE, 'src/orders.ts': 'export const handler = async () => {}\n' },
  osls: {
    'serverless.yml': `service: shop
provider: { name: aws, runtime: nodejs24.x }
functions:
  a: { handler: a.handler }
resources:
  Resources:
    Placed: { Type: AWS::SNS::Topic }
`,
  },
  cdk: { 'cdk.json': '{ "app": "node bin/app.ts" }\n', 'bin/app.ts': '// my app\n' },
  terraform: { 'main.tf': 'resource "aws_sqs_queue" "mine" {\n  name = "mine"\n}\n' },
} as const
const KINDS = [
  ['consumer', 'mails'],
  ['flow', 'parcels'],
  ['function', 'refunds'],
] as const

describe.each(Object.entries(OWN))('a project of its author with %s', (_tool, own) => {
  it('keeps every file, and gets the others in a folder, with a line on what to paste', async () => {
    give(own)
    for (const [kind, name] of KINDS) {
      const { code, out, err } = await type('init', kind, name, '--write')
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toContain('Your own files stay as they are. Paste\n  into your ')
    }
    for (const [path, text] of Object.entries(own)) expect(read(path)).toBe(text)
    const written = held().filter((path) => !(path in own))
    expect(written.filter((path) => !/^(?:src|lineclear)\//.test(path))).toEqual([])
    expect(written).toEqual(
      expect.arrayContaining(
        KINDS.flatMap(([, name]) => [`src/${name}.test.ts`, `src/${name}.ts`]),
      ),
    )
  })

  it('is told so before anything is written, also as JSON', async () => {
    give(own)
    const shown = await type('init', 'consumer', 'mails', '--json')
    expect(JSON.parse(shown.out)).toMatchObject({
      written: false,
      paste: expect.stringMatching(/^into your /),
    })
    expect(held()).toEqual(Object.keys(own).toSorted())
  })
})

/** `lineclear/serverless.yml`, as it is pasted by hand into the one of its author. */
const pastedService = (own: string): string => {
  const part = (name: string, text: string): string =>
    new RegExp(`(?<=^${name}:\\n)(?: .*\\n|\\n(?= ))+`, 'm').exec(text)?.[0] ?? ''
  const theirs = read('lineclear/serverless.yml')
  return `${theirs.replace(/^functions:[^]*/m, '')}${own}`
    .replace('functions:\n', (line) => line + part('functions', theirs))
    .replace('resources:\n', (line) => `${line}${part('resources', theirs)}  -\n  `)
}

describe('a project whose author has pasted', () => {
  const pasted = async (...more: readonly string[]): Promise<string> => {
    give(OWN.osls)
    await type('init', 'consumer', 'mails', '--write')
    const text = pastedService(OWN.osls['serverless.yml'])
    give({ 'serverless.yml': text + more.join('') })
    expect(parseText(text)).toMatchObject({ functions: { a: {}, mails: {}, sweeper: {} } })
    return read('serverless.yml')
  }

  it('still keeps its file, and is told only what is new', async () => {
    const before = await pasted()
    const { code, out } = await type('init', 'consumer', 'bills', '--write')
    expect([code, read('serverless.yml')]).toEqual([0, before])
    expect(out).toContain('of lineclear/serverless.yml the functions bills, and the item that')
    expect(out).not.toMatch(/src\/dev\.ts|section by section|already:/)
  })

  it.each([
    ['sam', 'the resources BillsQueue, BillsDeadLetters, '],
    ['cdk', "import { addBills } from './deploy/bills.ts'; addBills(stack, table)"],
    ['terraform', 'into your main.tf nothing more'],
  ] as const)('with %s, too', async (tool, says) => {
    give(OWN[tool])
    await type('init', 'consumer', 'mails', '--write')
    const { out } = await type('init', 'consumer', 'bills', '--write')
    expect(out).toContain(says)
    expect(out).not.toMatch(/[Mm]ails/)
  })

  it('also where all that init needs is there, such as an app that follows the documents', async () => {
    const app = 'const stack = new Stack()\nconst table = new LineclearTable(stack)\n'
    give({ 'app.ts': app })
    expect(await type('init', 'consumer', 'mails', '--write')).toMatchObject({ code: 0 })
    expect([read('app.ts'), held()]).toEqual([app, expect.arrayContaining(['lineclear/app.ts'])])
  })

  it('gives each function what the provider of its author does not say', async () => {
    await pasted()
    const { functions } = parseText(read('serverless.yml')) as { functions: object }
    const settings = {
      runtime: 'nodejs24.x',
      architecture: 'arm64',
      memorySize: 512,
      logRetentionInDays: 30,
      logs: { logFormat: 'JSON' },
      environment: { LINECLEAR_TABLE: { Ref: 'LineclearTable' }, LINECLEAR_WARM: 'true' },
    }
    expect(functions).toMatchObject({
      mails: { ...settings, timeout: 30 },
      sweeper: { ...settings, timeout: 50 },
    })
    expect(parseText(read('serverless.yml'))).toMatchObject({ package: { individually: true } })
    await type('init', 'flow', 'parcels', '--write')
    const more = parseText(read('lineclear/serverless.yml')) as { functions: object }
    expect(more.functions).toMatchObject({
      parcelsPack: {
        timeout: 30,
        environment: { ...settings.environment, PACK_QUEUE: { Ref: 'ParcelsPackQueue' } },
      },
    })
  })
})

describe('a name of which its author has a resource', () => {
  const osls = (resources: string): string => `service: shop
functions:
    keep:
        handler: a.handler
resources:
    Resources: ${resources}
`
  const elsewhere = 'OrdersQueue:\n  Type: AWS::SQS::Queue\n'
  const inOneLine = osls('{ OrdersQueue: { Type: AWS::SQS::Queue } }')
  it.each<{ path: string; id: string; name: string; own: Files }>([
    {
      path: 'template.yaml',
      id: 'OrdersQueue',
      name: 'orders',
      own: { 'template.yaml': TEMPLATE },
    },
    {
      path: 'serverless.yml',
      id: 'OrdersQueue',
      name: 'orders',
      own: { 'serverless.yml': inOneLine },
    },
    {
      path: 'aws/queues.yml',
      id: 'OrdersQueue',
      name: 'orders',
      own: { 'serverless.yml': osls('${file(aws/queues.yml)}'), 'aws/queues.yml': elsewhere },
    },
    {
      path: 'serverless.ts',
      id: 'OrdersQueue',
      name: 'orders',
      own: { 'serverless.ts': "resources: { 'OrdersQueue': {} }\n" },
    },
    { path: 'serverless.yml', id: 'keep', name: 'keep', own: { 'serverless.yml': osls('{}') } },
  ])('in $path is refused: $id', async ({ path, id, name, own }) => {
    give(own)
    for (const flags of [[], ['--write']]) {
      expect(await type('init', 'consumer', name, ...flags)).toEqual({
        code: 1,
        out: '',
        err: `lineclear: nothing is written: ${path} has ${id} already: take another name`,
      })
    }
    expect(held()).toEqual(Object.keys(own).toSorted())
  })

  it('that every project of Lineclear has too is told before it is pasted', async () => {
    give({ 'serverless.yml': osls('{ AlarmTopic: { Type: AWS::SNS::Topic } } # OverdueAlarm') })
    const { code, out } = await type('init', 'consumer', 'mails')
    expect(code).toBe(0)
    expect(out.match(/\S+ has \w+ already: .*/g)).toEqual([
      'serverless.yml has AlarmTopic already: give one of the two another name first',
    ])
  })

  it('in a project of init, too', async () => {
    await type('init', 'osls', 'orders', '--write')
    give({ 'resources/mine.yml': 'Resources:\n  MailsQueue:\n    Type: AWS::SQS::Queue\n' })
    const { code, err } = await type('init', 'consumer', 'mails', '--write')
    expect([code, err]).toEqual([1, expect.stringContaining('resources/mine.yml has MailsQueue')])
  })
})

describe.each([
  ['CommonJS', {}, 'lineclear/mails.js', "const { expect, it } = require('@jest/globals')"],
  ['ES modules', { type: 'module' }, 'src/mails.js', "import { expect, it } from '@jest/globals'"],
] as const)('a project of JavaScript with jest: %s', (_, manifest, entry, first) => {
  it('gets JavaScript, and what is pasted names it', async () => {
    const own = JSON.stringify({ ...manifest, scripts: { test: 'jest' } })
    give({ 'template.yaml': TEMPLATE, 'package.json': own })
    const { code, out } = await type('init', 'consumer', 'mails', '--write')
    expect([code, out]).toEqual([0, expect.not.stringContaining('Not known')])
    expect(held().filter((path) => path.endsWith('.ts'))).toEqual([])
    expect(read('src/mails.test.js')).toContain(first)
    expect(read('lineclear/template.yaml')).toMatch(/sets that \(in process\.env\) before/)
    expect(out).toContain('npm install --save-prod lineclear ')
    const named = [...read('lineclear/template.yaml').matchAll(/EntryPoints: \[(.*)\]/g)]
    const paths = named.map(([, path]) => path ?? '')
    expect(paths).toContain(entry)
    expect(paths.filter((path) => !held().includes(path))).toEqual([])
  })

  it.each([
    ['osls', { 'serverless.yml': OWN.osls['serverless.yml'] }, 'lineclear/serverless.yml'],
    ['the CDK', { 'cdk.json': OWN.cdk['cdk.json'] }, 'lineclear/deploy/mails.js'],
  ])('by %s', async (_tool, files, path) => {
    give({ ...files, 'package.json': JSON.stringify({ ...manifest, scripts: { test: 'jest' } }) })
    const { code, out } = await type('init', 'consumer', 'mails', '--write')
    expect([code, out]).toEqual([0, expect.not.stringMatching(/\.ts\b/)])
    expect(read(path)).toContain(entry.replace(path.endsWith('.yml') ? '.js' : '', ''))
  })
})

it.each([
  [{}, 'package.json names no runner of tests that init writes for (vitest, jest, node --test)'],
  [{ scripts: { test: 'mocha' } }, 'init writes no tests for mocha'],
  [{ devDependencies: { jest: '30', vitest: '4' } }, 'package.json names vitest and jest'],
])('of %j it says with what the test runs', async (manifest, why) => {
  give({ 'template.yaml': TEMPLATE, 'package.json': JSON.stringify(manifest) })
  const { out } = await type('init', 'consumer', 'mails', '--write')
  const assumed = `${why}: the test runs with node --test. Paste what it does into one of yours`
  expect(out).toContain(`Not known: ${assumed}.`)
  expect(out).toContain('node --test src/mails.test.js')
  expect(read('src/mails.test.js')).toContain("require('node:test')")
  const again = await type('init', 'consumer', 'bills', '--json')
  expect(JSON.parse(again.out)).toMatchObject({ assumed: [assumed] })
})

interface Resource {
  readonly Type: string
  readonly Properties: {
    readonly Runtime?: string
    readonly Environment?: { readonly Variables: Readonly<Record<string, unknown>> }
  }
}

interface Parsed {
  readonly Parameters?: object
  readonly Resources: Readonly<Record<string, Resource>>
}

it('pasted into the template of its author nothing is missing, and the doctor finds nothing in what is new', async () => {
  give(OWN.sam)
  for (const [kind, name] of KINDS) await type('init', kind, name, '--write')
  const [mine, added] = ['template.yaml', 'lineclear/template.yaml'].map(
    (path) => parseText(read(path)) as Parsed,
  )
  const pasted = {
    Parameters: added?.Parameters,
    Resources: { ...added?.Resources, ...mine?.Resources },
  }
  const text = JSON.stringify(pasted.Resources)
  const named = [
    ...text.matchAll(/\{"Ref":"(\w+)"\}/g),
    ...text.matchAll(/"Fn::GetAtt":\["(\w+)"/g),
    ...text.matchAll(/\$\{(\w+)(?:\.\w+)?\}/g),
  ].map(([, id]) => id ?? '')
  const known = [...Object.keys(pasted.Resources), 'AlarmEmail']
  const made = /^(?:\w+)Function(?:Queue|Role)$/
  expect(new Set(named).size).toBeGreaterThan(20)
  expect(named.filter((id) => !known.includes(id) && !made.test(id))).toEqual([])
  const functions = Object.values(added?.Resources ?? {}).filter(({ Type }) =>
    Type.endsWith('Function'),
  )
  const bare = functions.filter(
    ({ Properties: { Runtime, Environment } }) =>
      Runtime !== 'nodejs24.x' ||
      JSON.stringify(Environment?.Variables['LINECLEAR_TABLE']) !== '{"Ref":"LineclearTable"}',
  )
  expect([functions.length, bare]).toEqual([6, []])
  const old = /^Orders/
  expect(diagnose(fromTemplate(pasted)).filter(({ subject }) => !old.test(subject))).toEqual([])
})

it.each([
  ['a folder', 'src', () => outside],
  ['its own folder', 'lineclear', () => outside],
  ['nothing', 'src', () => join(outside, 'nothing')],
])('follows no link out of the project: to %s', async (_, path, target) => {
  give({ 'template.yaml': TEMPLATE })
  symlinkSync(target(), join(folder, path))
  const before = held()
  const { code, err } = await type('init', 'consumer', 'mails', '--write')
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(
      /^lineclear: nothing is written: \S+ is reached by a link that leads out of the project: /,
    ),
  ])
  expect([held(), held(outside)]).toEqual([before, []])
})

it('reads and changes no template of another project that a link shows', async () => {
  writeFileSync(join(outside, 'theirs.yaml'), TEMPLATE)
  symlinkSync(join(outside, 'theirs.yaml'), join(folder, 'template.yaml'))
  expect(await type('init', 'consumer', 'mails', '--write')).toMatchObject({ code: 0 })
  expect([held(outside), read('theirs.yaml', outside)]).toEqual([['theirs.yaml'], TEMPLATE])
})

it('adds nothing through a template of init that is a link', async () => {
  await type('init', 'sam', 'orders', '--write')
  writeFileSync(join(outside, 'theirs.yaml'), read('template.yaml'))
  rmSync(join(folder, 'template.yaml'))
  symlinkSync(join(outside, 'theirs.yaml'), join(folder, 'template.yaml'))
  const before = read('theirs.yaml', outside)
  const { code, err } = await type('init', 'consumer', 'mails', '--write')
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('template.yaml is reached by a link that leads out'),
  ])
  expect(read('theirs.yaml', outside)).toBe(before)
})

it('a link within the project is followed', async () => {
  give({ 'template.yaml': TEMPLATE, 'code/keep.txt': '' })
  symlinkSync('code', join(folder, 'src'))
  expect(await type('init', 'consumer', 'mails', '--write')).toMatchObject({ code: 0 })
  expect(held()).toContain('code/mails.ts')
})

it('names in Terraform no build that it does not write, and every argument', async () => {
  give(OWN.terraform)
  const { out } = await type('init', 'consumer', 'mails', '--write')
  expect(held().filter((path) => path.endsWith('build.ts'))).toEqual([])
  expect(read('lineclear/main.tf')).not.toContain('build.ts')
  const variables = [...read('lineclear/main.tf').matchAll(/^variable "(\w+)"/gm)]
  for (const [, name] of variables) expect(out).toContain(`${name} = "`)
})
