import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shop } from '../../../examples/cdk/checkout.ts'
import { managed } from '../../../examples/cdk/managed.ts'
import { LineclearSweeper, LineclearTable } from 'lineclear/cdk'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTemplate } from '../doctor/from.ts'
import { checkTemplate } from '../../documents/deploy/checkTemplate.ts'
import type { Template } from '../../documents/deploy/packaged.ts'
import { filesIn } from '../../package/bundleOf.ts'
import { everything, newStack, templateOf, UNBUNDLED, vpcIn } from './stacks.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const NODE = join(ROOT, 'node_modules/.bin/node')
const run = promisify(execFile)

let out: string
let template: Template

/** As `cdk synth` runs the app, with the validation that CDK adds, and without a network or an account. */
beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'lineclear-cdk-'))
  await run(NODE, ['--conditions=lineclear:source', 'examples/cdk/app.ts'], {
    cwd: ROOT,
    env: { CDK_OUTDIR: out, CDK_CONTEXT_JSON: JSON.stringify(UNBUNDLED), HOME: out },
    timeout: 120_000,
  })
  template = JSON.parse(readFileSync(join(out, 'Orders.template.json'), 'utf8')) as Template
})

afterAll(() => {
  rmSync(out, { recursive: true, force: true })
})

describe('the stack of five lines', () => {
  it('has no finding of the doctor', () => {
    expect(diagnose(fromTemplate(template))).toEqual([])
    const delays = diagnose(fromTemplate(template), { delays: 'stored' })
    expect(delays).toEqual([])
  })

  it('has no finding of the CDK, and is accepted by the schema of CloudFormation', async () => {
    const report: unknown = JSON.parse(readFileSync(join(out, 'validation-report.json'), 'utf8'))
    expect(report).toMatchObject({ pluginReports: [] })
    expect(await checkTemplate(template)).toEqual([])
  })
})

it.each([
  [
    'the example with a flow',
    () => {
      const stack = newStack('Shop')
      shop(stack)
      return stack
    },
  ],
  [
    'the example on Managed Instances',
    () => {
      const stack = newStack('Managed')
      const table = new LineclearTable(stack, 'Table', { alarmEmail: 'oncall@example.com' })
      managed(stack, table, vpcIn(stack))
      new LineclearSweeper(stack, 'Sweeper', { table })
      return stack
    },
  ],
  ['one of everything', () => everything().stack],
])('%s is accepted by the schema of CloudFormation', async (_, make) => {
  const made = templateOf(make())
  expect(await checkTemplate(made)).toEqual([])
  const rules = diagnose(fromTemplate(made)).map(({ rule }) => rule)
  // Raw delivery was asked for, and nothing here consumes the queue of an archive.
  const asked = new Set(['raw-delivery', 'unread'])
  expect(rules.filter((rule) => !asked.has(rule))).toEqual([])
})

it('the function of the sweeper holds nothing of the CDK', async () => {
  const code =
    "import { handler } from '../../src/tools/cdk/sweeperFunction.ts'; globalThis.x = handler"
  const files = await filesIn(code)
  const own = files.filter(
    (file) => file.includes('src/tools/cdk/') || file.includes('aws-cdk-lib'),
  )
  expect(own.map((file) => file.replace(/.*src\//, 'src/'))).toEqual([
    'src/tools/cdk/sweeperFunction.ts',
  ])
})
