import type { Deployment } from '../doctor/deployment.ts'
import type { DoctorFinding } from '../doctor/rule.ts'
import type { Load } from '../doctor/ceilings.ts'
import { findUrl } from '../operator/dlq/deadLetterQueue.ts'
import { duration, flag, kind, type Kind, queue, words } from '../commands/kinds.ts'
import type { GivenOptions } from '../commands/row.ts'
import { type Command, command, type Io, type ExitCode } from './command.ts'
import { doctorLines, SEVERITIES } from './doctorText.ts'
import { printJson, tableLines } from './table.ts'
import { UsageError } from './usageError.ts'
import { messageOf } from '../../library/base/errors.ts'

function amount(least: number, most: number, word = 'N'): Kind<number> {
  return kind(word, (text, refuse) => {
    const given = text.trim() === '' ? Number.NaN : Number(text)
    return given >= least && given <= most
      ? given
      : refuse(`a number from ${least} to ${most.toLocaleString('en')}`)
  })
}

const OPTIONS = {
  template: {
    kind: words,
    word: 'PATH',
    help: 'check what is to be deployed; makes no call to AWS. A template of CloudFormation or SAM, as YAML or JSON; a folder that cdk synth (cdk.out), sam build or osls package has made; a plan or state of Terraform as terraform show -json PLAN prints it. Several are judged together',
    many: true,
    page: true,
  },
  beside: {
    kind: words,
    word: 'PATH',
    help: 'another environment of the same account and Region, read as --template: finds names that both have, and alarms on what both report. --parameter is not for it',
    many: true,
  },
  parameter: {
    kind: kind('NAME=VALUE', (text) => text),
    help: 'value of a parameter that a template declares; else its default',
    many: true,
  },
  queue: {
    kind: queue,
    help: 'check a deployed queue (name, URL or ARN) with the table of --table, its event source mappings and functions (if @aws-sdk/client-lambda is installed), and how topics deliver to it (@aws-sdk/client-sns); only reads',
    many: true,
    page: true,
  },
  delays: {
    kind: flag,
    help: 'a handler has the option delays: storedDelays(), so a sweeper has to run and to be watched. Without it that is checked only if an alarm watches oldestDelayed',
    page: true,
  },
  circuitBreaker: {
    kind: flag,
    help: 'a handler has the option circuitBreaker: maxReceiveCount has to bear that records wait on the queue',
    page: true,
  },
  strict: { kind: flag, help: 'exit with 1 also for questions and notes', page: true },
  verbose: { kind: flag, help: 'notes in full, and the names of the rules that were not checked' },
  rate: {
    kind: amount(0, 1e7),
    help: 'N records a second: says what table, index and search have to bear and what they can, and what a month costs; makes no call to AWS, and exits with 1 if table or index do not hold',
  },
  failing: {
    kind: amount(0, 100, 'PERCENT'),
    help: 'with --rate: how many fail once',
    default: '1',
  },
  batch: { kind: amount(1, 10_000), help: 'with --rate: records in a batch', default: '10' },
  retention: { kind: duration, help: 'with --rate: of the consumer', default: '30d' },
} as const

export const doctor: Command = command({
  words: 'doctor',
  summary: 'check that queues, table and functions are set up so that nothing is lost',
  about: [
    'Exits with 1 if it finds an error or a warning. A question is about something that doctor cannot read; a note is not a fault.',
  ],
  arguments: {},
  options: OPTIONS,
  examples: [
    'doctor --template template.yml',
    'doctor --template prod.json --beside dev.json',
    'doctor --queue orders',
    'doctor --rate 300',
  ],
  route: 'doctor',
  run: async (given, io) => {
    const { rate, failing, batch, retention, strict, verbose, beside, ...input } = given
    if (beside.length > 0 && input.template.length === 0) {
      throw new UsageError('--beside: expected --template PATH with it, got none')
    }
    if (rate !== undefined) {
      refuseInput(input)
      return doctorRate({ rate, failing: failing / 100, batch, retention }, io)
    }
    const { diagnose, bySeverity } = await import('../doctor/rules/diagnose.ts')
    const expected = {
      ...(input.delays && ({ delays: 'stored' } as const)),
      ...(input.circuitBreaker && ({ circuitBreaker: 'used' } as const)),
    }
    const deployment = await readInput(input, io)
    const collisions = beside.length === 0 ? [] : await compared(deployment, beside, io)
    const findings = bySeverity([...collisions, ...diagnose(deployment, expected)])
    if (io.json) printJson(io, { findings, subscriptions: deployment.subscriptions })
    else for (const line of doctorLines(deployment, findings, verbose)) io.out(line)
    return isFaulty(findings, strict) ? 1 : 0
  },
})

async function compared(
  deployment: Deployment,
  beside: readonly string[],
  io: Io,
): Promise<readonly DoctorFinding[]> {
  const { collisionsOf } = await import('../doctor/rules/environments.ts')
  return collisionsOf(deployment, await readTemplates(beside, [], io))
}

type Input = Pick<GivenOptions<typeof OPTIONS>, 'template' | 'parameter' | 'queue'>

function refuseInput({ template, queue: queues }: Input): void {
  if (template.length + queues.length === 0) return
  throw new UsageError(
    '--rate: it reads neither templates nor queues: leave out --template and --queue',
  )
}

async function readInput(
  { template, parameter, queue: queues }: Input,
  io: Io,
): Promise<Deployment> {
  if (template.length > 0 && queues.length > 0) {
    throw new UsageError('expected --template or --queue, got both')
  }
  if (template.length > 0) return readTemplates(template, parameter, io)
  if (queues.length === 0) {
    throw new UsageError('expected --template PATH, --queue QUEUE or --rate N, got none of them')
  }
  if (parameter.length > 0) {
    throw new UsageError('--parameter: expected --template PATH with it, got --queue')
  }
  const { fromAccount } = await import('../doctor/account/fromAccount.ts')
  const clients = {
    sqs: io.sqs(),
    dynamodb: io.dynamodb(),
    lambda: await io.lambdaReader(),
    sns: await io.snsReaders(),
  }
  const queueUrls = await Promise.all(queues.map((each) => findUrl(clients.sqs, each)))
  return fromAccount(clients, { queueUrls, tableName: io.table })
}

/** Prints what a rate asks of AWS; makes no call. @returns 1 if table or index do not hold; what is found late is no fault */
async function doctorRate(load: Load, io: Io): Promise<ExitCode> {
  const { ceilingsAt, priceOf } = await import('../doctor/ceilings.ts')
  const ceilings = ceilingsAt(load)
  const price = priceOf(load)
  const holds = ceilings.every(({ of, fits }) => fits !== false || of === 'search')
  const code = holds ? 0 : 1
  if (io.json) {
    printJson(io, { load, ceilings, price })
    return code
  }
  const rows = ceilings.map(({ of, needs, holds, fits }) => [
    of,
    needs,
    holds,
    fits === undefined ? '?' : fits ? '' : of === 'search' ? 'late' : 'NO',
  ])
  for (const line of tableLines(['PART', 'NEEDS', 'HOLDS', 'FITS'], rows, undefined)) io.out(line)
  for (const { of, advice } of ceilings) if (advice !== undefined) io.out(`${of}: ${advice}`)
  const { writes, queue, storage, search } = price
  const dollars = (usd: number): string =>
    usd.toLocaleString('en', { maximumFractionDigits: usd < 100 ? 2 : 0 })
  io.out(
    `USD a month, on demand, us-east-1: ${dollars(writes + queue + storage + search)} (writes ${dollars(writes)}, ` +
      `SQS ${dollars(queue)}, storage ${dollars(storage)}, search ${dollars(search)}); not Lambda, logs, nor what the handlers do`,
  )
  return code
}

async function readTemplates(
  paths: readonly string[],
  parameter: readonly string[],
  { table: tableName }: Pick<Io, 'table'>,
): Promise<Deployment> {
  const { readDeployment } = await import('../doctor/input/readFiles.ts')
  const { EXPECTED } = await import('../doctor/input/parseText.ts')
  const parameters = readParameters(parameter)
  const { declared, deployment } = await readDeployment(
    paths,
    { tableName, parameters },
    (path, error) => {
      const why = error instanceof RangeError ? 'it is nested too deeply' : messageOf(error)
      return new UsageError(`--template: ${EXPECTED}; got ${path} (${why}). ${UNDONE}`)
    },
  )
  refuseUndeclared(Object.keys(parameters), declared)
  return deployment
}

const UNDONE = 'Nothing was checked'

/** Under a misspelled name the default would be checked, and found to be fine. */
function refuseUndeclared(given: readonly string[], declared: readonly string[]): void {
  const wrong = given.find((name) => !declared.includes(name))
  if (wrong === undefined) return
  const known = declared.length === 0 ? 'none is declared' : `declared: ${declared.join(', ')}`
  throw new UsageError(
    `--parameter: expected a parameter of a template (${known}), got ${wrong}. ${UNDONE}`,
  )
}

function readParameters(given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((each) => {
      const [, name, value] = /^(\w+)=(.*)$/s.exec(each) ?? []
      if (name === undefined || value === undefined) {
        throw new UsageError(`--parameter: expected NAME=VALUE, got ${JSON.stringify(each)}`)
      }
      return [name, value] as const
    }),
  )
}

/** @param strict questions and notes count too; what could not be checked does not, because some of it never can */
function isFaulty(findings: readonly DoctorFinding[], strict: boolean): boolean {
  const counted: readonly string[] = strict ? SEVERITIES : ['error', 'warning']
  return findings.some(({ severity }) => counted.includes(severity))
}
