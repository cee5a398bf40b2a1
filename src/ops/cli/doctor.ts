import { readFile } from 'node:fs/promises'
import type { Deployment, DoctorFinding } from '../doctor/index.ts'
import { messageOf } from '../../errors.ts'
import { findUrl } from '../operator/dlq/deadLetterQueue.ts'
import type { CliCommand, ExitCode, Io } from './command.ts'
import { printJson } from './printJson.ts'
import { positionals, readArgs } from './readArgs.ts'
import { oneLine } from './table.ts'
import { UsageError } from './usageError.ts'

export const doctor: CliCommand = {
  name: 'doctor',
  summary: 'check that queues, table and functions are set up so that nothing is lost',
  usage: `lineclear doctor --template FILE [--delays]
lineclear doctor --queue QUEUE [--queue QUEUE]…

  --template   check a CloudFormation template, as JSON (osls package, sam build, cdk synth); makes no call to AWS
  --queue      check a deployed queue (name, URL or ARN) with the table of --table, its event source mappings and functions (if
               @aws-sdk/client-lambda is installed) and the subscriptions of the topics that its policy admits; only reads

  --delays     a handler has the option delays: storedDelays(), so a sweeper has to run and to be watched. Without it that is
               checked only if an alarm watches oldestDelayed

  Exits with 1 if it finds something.`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, {
      template: { type: 'string' },
      queue: { type: 'string', multiple: true },
      delays: { type: 'boolean' },
    })
    positionals(given, [])
    const { diagnose } = await import('../doctor/index.ts')
    const expected = values.delays === true ? ({ delays: 'stored' } as const) : {}
    return report(diagnose(await readDeployment(values, io), expected), io)
  },
}

async function readDeployment(
  { template, queue = [] }: { readonly template?: string; readonly queue?: readonly string[] },
  io: Io,
): Promise<Deployment> {
  const { fromAccount, fromTemplate } = await import('../doctor/index.ts')
  if (template !== undefined && queue.length > 0) {
    throw new UsageError('expected --template or --queue, got both')
  }
  if (template !== undefined) return fromTemplate(await readTemplate(template))
  if (queue.length === 0)
    throw new UsageError('expected --template FILE or --queue QUEUE, got neither')
  const clients = { sqs: io.sqs(), dynamodb: io.dynamodb(), ...(await io.doctorClients()) }
  const queueUrls = await Promise.all(queue.map((each) => findUrl(clients.sqs, each)))
  return fromAccount(clients, { queueUrls, tableName: io.table })
}

async function readTemplate(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`--template: expected a file of JSON, got ${file} (${messageOf(error)})`)
  }
}

function report(findings: readonly DoctorFinding[], io: Io): ExitCode {
  const found = findings.filter(({ severity }) => severity !== 'unchecked')
  const unchecked = findings.filter(({ severity }) => severity === 'unchecked')
  if (io.json) printJson(io, { findings })
  else print(found, unchecked, io)
  return found.length === 0 ? 0 : 1
}

function print(found: readonly DoctorFinding[], unchecked: readonly DoctorFinding[], io: Io): void {
  for (const { severity, subject, problem, consequence, cure, source } of found) {
    io.out(oneLine(`${severity.padEnd(7)} ${subject}: ${problem}`))
    for (const line of [consequence, `Cure: ${cure}`, source]) io.out(`        ${oneLine(line)}`)
  }
  io.out(found.length === 0 ? 'Nothing found.' : `${found.length} found.`)
  for (const [problem, findings] of Map.groupBy(unchecked, (finding) => finding.problem)) {
    const rules = [...new Set(findings.map(({ rule }) => rule))].join(', ')
    const why = problem.replace(/^Not checked: |\.$/g, '')
    io.out(oneLine(`Not checked, because ${why}: ${rules}. ${findings[0]?.cure ?? ''}`))
  }
}
