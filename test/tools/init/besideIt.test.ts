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

function give(files: Readonly<Record<string, string>>): void {
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
