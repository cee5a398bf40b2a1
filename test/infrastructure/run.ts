import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { runStep } from '../referees/runStep.ts'
import { CFN_LINT, install, onPath, pathOf, SAM } from './tools.ts'

/**
 * The examples of infrastructure, judged by the tools of others: `npm run infrastructure`, with `-- --install` to install first what is
 * missing, into `.lineclear/infrastructure`. What is not there is skipped.
 */
const ROOT = resolve(import.meta.dirname, '../..')
const SAM_TEMPLATE = 'examples/deploy/sam/template.yaml'
const TERRAFORM = 'examples/deploy/terraform'
/** A check takes seconds. */
const LIMIT_MS = 2 * 60_000

interface Check {
  readonly what: string
  readonly command: string | undefined
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

let [passed, failed, skipped] = [0, 0, 0]

if (process.argv.includes('--install')) {
  for (const tool of [CFN_LINT, SAM]) {
    await install(tool).catch((error: unknown) => {
      failed += 1
      console.log(`FAILED  installation of ${tool.name} ${tool.version}\n${String(error)}`)
    })
  }
}
const cdk = mkdtempSync(join(tmpdir(), 'lineclear-infrastructure-'))
try {
  for (const each of checks(cdk)) await check(each)
} finally {
  rmSync(cdk, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`)
process.exitCode = failed === 0 ? 0 : 1

function checks(out: string): readonly Check[] {
  const template = join(out, 'Orders.template.json')
  return [
    {
      what: 'the CDK synthesises examples/cdk',
      command: join(ROOT, 'node_modules/.bin/node'),
      args: ['--conditions=lineclear:source', 'examples/cdk/app.ts'],
      env: { CDK_OUTDIR: out, CDK_CONTEXT_JSON: '{"aws:cdk:bundling-stacks":[]}' },
    },
    {
      what: 'cfn-lint on what it writes',
      command: pathOf(CFN_LINT),
      // The CDK also names dependencies that a GetAtt implies already.
      args: ['--ignore-checks', 'W3005', '--', template],
    },
    { what: `cfn-lint on ${SAM_TEMPLATE}`, command: pathOf(CFN_LINT), args: [SAM_TEMPLATE] },
    {
      what: `sam validate --lint on ${SAM_TEMPLATE}`,
      command: pathOf(SAM),
      args: ['validate', '--lint', '--template', SAM_TEMPLATE, '--region', 'us-east-1'],
      env: { SAM_CLI_TELEMETRY: '0' },
    },
    {
      what: `terraform fmt on ${TERRAFORM}`,
      command: onPath('terraform'),
      args: ['fmt', '-check', '-diff', '-recursive', TERRAFORM],
    },
  ]
}

async function check({ what, command, args, env = {} }: Check): Promise<void> {
  if (command === undefined) {
    skipped += 1
    console.log(`skipped ${what}: it is not installed`)
    return
  }
  const { code, said } = await runStep({ command, args, env }, { limit: LIMIT_MS, quiet: true })
  if (code === 0) {
    passed += 1
    console.log(`ok      ${what}`)
  } else {
    failed += 1
    const how = code === undefined ? 'did not end in time' : `ended with ${code}`
    console.log(`FAILED  ${what}: ${how}\n${said}`)
  }
}
