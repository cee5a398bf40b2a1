import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  addedTo,
  newProject,
  type Plan,
  type ToolName,
  writeFiles,
} from '../../src/tools/init/index.ts'
import { runStep } from '../referees/runStep.ts'
import { type Exception, EXCEPTIONS, type Target } from './exceptions.ts'
import { CFN_LINT, CHECKOV, install, onPath, pathOf, SAM } from './tools.ts'
import { walkOf } from './walk.ts'
import { type Objection, objectionsOfCfnLint, objectionsOfCheckov, verdict } from './verdict.ts'

/**
 * The examples of infrastructure, and what `lineclear init` makes of them, judged by the tools of others: `npm run infrastructure`, with `-- --install` to install first what is
 * missing, into `.lineclear/infrastructure`, with `-- --only-install` to do no more. What is not there is skipped. With `-- --walk` it
 * types instead what the README of each generated project names.
 */
const ROOT = resolve(import.meta.dirname, '../..')
const NODE = join(ROOT, 'node_modules/.bin/node')
const OSLS = join(ROOT, 'node_modules/.bin/osls')
const OF_OSLS = '.serverless/cloudformation-template-update-stack.json'
/** A check takes seconds. */
const LIMIT_MS = 3 * 60_000

interface Check {
  readonly what: string
  readonly command: string | undefined
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Why there is no command. Default: it is not installed. */
  readonly why?: string
  /** What the tool has written decides, and not how it ended. @returns what is wrong */
  readonly judge?: () => readonly string[]
}

let [passed, failed, skipped] = [0, 0, 0]

const onlyInstall = process.argv.includes('--only-install')
if (onlyInstall || process.argv.includes('--install')) {
  for (const tool of [CFN_LINT, CHECKOV, SAM]) {
    await install(tool).catch((error: unknown) => {
      failed += 1
      console.log(`FAILED  installation of ${tool.name} ${tool.version}\n${String(error)}`)
    })
  }
}
const cdk = mkdtempSync(join(tmpdir(), 'lineclear-infrastructure-'))
try {
  const isWalk = process.argv.includes('--walk')
  for (const each of onlyInstall ? [] : isWalk ? walks(cdk) : checks(cdk)) await check(each)
} finally {
  rmSync(cdk, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`)
process.exitCode = failed === 0 ? 0 : 1

function checks(out: string): readonly Check[] {
  const packaged = join(out, 'packaged.json')
  const synthesised = join(out, 'Orders.template.json')
  const sam = join(project('sam', out), 'template.yaml')
  const terraform = project('terraform', out)
  const osls = project('osls', out)
  return [
    {
      what: 'osls packages serverless.yml',
      command: NODE,
      args: ['--conditions=lineclear:source', 'test/infrastructure/package.ts', packaged],
    },
    {
      what: 'the CDK synthesises examples/cdk',
      command: NODE,
      args: ['--conditions=lineclear:source', 'examples/cdk/app.ts'],
      env: { CDK_OUTDIR: out, CDK_CONTEXT_JSON: '{"aws:cdk:bundling-stacks":[]}' },
    },
    {
      what: 'osls packages what lineclear init writes',
      command: 'sh',
      args: ['-c', 'cd "$0" && exec "$1" package', withoutCode(osls), OSLS],
    },
    cfnLint(out, 'serverless.yml', packaged),
    cfnLint(out, 'CDK', synthesised),
    cfnLint(out, 'SAM', sam),
    cfnLint(out, 'osls', join(osls, OF_OSLS)),
    checkov(out, 'serverless.yml', ['--framework=cloudformation', '--file', packaged]),
    checkov(out, 'CDK', ['--framework=cloudformation', '--file', synthesised]),
    checkov(out, 'SAM', ['--framework=cloudformation', '--file', sam]),
    checkov(out, 'osls', ['--framework=cloudformation', '--file', join(osls, OF_OSLS)]),
    checkov(out, 'Terraform', ['--framework=terraform', '--directory', terraform]),
    {
      what: 'sam validate --lint',
      command: pathOf(SAM),
      args: ['validate', '--lint', '--template', sam, '--region', 'us-east-1'],
      env: { SAM_CLI_TELEMETRY: '0' },
    },
    {
      what: 'terraform fmt',
      command: onPath('terraform'),
      args: ['fmt', '-check', '-diff', '-recursive', terraform],
    },
  ]
}

function walks(out: string): readonly Check[] {
  const pack = {
    what: 'npm pack',
    command: 'npm',
    args: ['pack', '--pack-destination', out],
  }
  const tools: readonly ToolName[] = ['sam', 'cdk', 'osls', 'terraform']
  return [pack, ...tools.flatMap((tool) => walkOf(tool, out))]
}

/** What `lineclear init` writes: two consumers, a flow and a function. */
function project(tool: ToolName, out: string): string {
  const folder = join(out, tool)
  mkdirSync(folder)
  write(newProject(folder, tool, 'refund-requests'), folder)
  write(addedTo(folder, 'consumer', 're-mails'), folder)
  write(addedTo(folder, 'flow', 'home-delivery'), folder)
  write(addedTo(folder, 'function', 'card-refund'), folder)
  return folder
}

function write(plan: string | Plan, folder: string): void {
  const failed = typeof plan === 'string' ? plan : writeFiles(plan, folder)
  if (failed !== undefined) throw new Error(failed)
}

/** Lineclear is not installed there, and the bundles are judged elsewhere: `test/package/dist/init.proof.test.ts`. */
function withoutCode(osls: string): string {
  const file = join(osls, 'serverless.yml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('plugins: [serverless-esbuild]\n', ''))
  return osls
}

function cfnLint(out: string, target: Target, template: string): Check {
  const file = join(out, `cfn-lint-${target}.json`)
  return {
    what: `cfn-lint on ${target}`,
    command: pathOf(CFN_LINT),
    args: ['--format', 'json', '--output-file', file, '--', template],
    judge: judgeOf('cfn-lint', target, file, objectionsOfCfnLint),
  }
}

function checkov(out: string, target: Target, what: readonly string[]): Check {
  const folder = join(out, `checkov-${target}`)
  return {
    what: `checkov on ${target}`,
    command: pathOf(CHECKOV),
    // Nothing is fetched and nothing is sent.
    args: [...what, '--skip-download', '--output', 'json', '--output-file-path', folder],
    judge: judgeOf('checkov', target, join(folder, 'results_json.json'), objectionsOfCheckov),
  }
}

function judgeOf(
  tool: Exception['tool'],
  target: Target,
  file: string,
  read: (json: string) => Objection[],
): () => readonly string[] {
  return () => verdict(read(readFileSync(file, 'utf8')), EXCEPTIONS, { tool, target })
}

async function check({ what, command, args, env = {}, judge, why }: Check): Promise<void> {
  if (command === undefined) {
    skipped += 1
    console.log(`skipped ${what}: ${why ?? 'it is not installed'}`)
    return
  }
  const { code, said } = await runStep({ command, args, env }, { limit: LIMIT_MS, quiet: true })
  const wrong = code === undefined ? ['did not end in time'] : wrongIn(code, judge)
  if (wrong.length === 0) {
    passed += 1
    console.log(`ok      ${what}`)
  } else {
    failed += 1
    console.log(`FAILED  ${what}: ${wrong.join('\n        ')}${judge ? '' : `\n${said}`}`)
  }
}

function wrongIn(code: number, judge: Check['judge']): readonly string[] {
  if (judge === undefined) return code === 0 ? [] : [`ended with ${code}`]
  try {
    return judge()
  } catch (error) {
    return [`ended with ${code}, and its report cannot be read: ${String(error)}`]
  }
}
