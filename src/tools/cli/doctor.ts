import type { Deployment, DoctorFinding } from '../doctor/index.ts'
import { findUrl } from '../operator/dlq/deadLetterQueue.ts'
import type { CliCommand, Io } from './command.ts'
import { isFaulty, printDoctor } from './printDoctor.ts'
import { printJson } from './printJson.ts'
import { doctorRate, type RateValues } from './doctorRate.ts'
import { positionals, readArgs } from './readArgs.ts'
import { readTemplates } from './readTemplates.ts'
import { UsageError } from './usageError.ts'

export const doctor: CliCommand = {
  name: 'doctor',
  summary: 'check that queues, table and functions are set up so that nothing is lost',
  usage: `lineclear doctor --template PATH [--template PATH]… [--parameter NAME=VALUE]… [--delays] [--brake] [--strict]
lineclear doctor --queue QUEUE [--queue QUEUE]… [--delays] [--brake] [--strict]
lineclear doctor --rate N [--failing PERCENT] [--batch N] [--retention TIME]

  --template   check what is to be deployed; makes no call to AWS. A template of CloudFormation or SAM, as YAML or JSON; a folder
               that cdk synth (cdk.out), sam build or osls package has made; a plan or state of Terraform as
               terraform show -json PLAN prints it. Several are judged together
  --parameter  value of a parameter that a template declares; else its default
  --queue      check a deployed queue (name, URL or ARN) with the table of --table, its event source mappings and functions (if
               @aws-sdk/client-lambda is installed) and the subscriptions of the topics that its policy admits; only reads

  --rate       N records a second: says what table, index and search have to bear and what they can, and what a month costs; makes
               no call to AWS, and exits with 1 if table or index do not hold
  --failing    how many of a hundred fail once. Default 1
  --batch      records in a batch. Default 10
  --retention  as the option of the consumer. Default 30d

  --delays     a handler has the option delays: storedDelays(), so a sweeper has to run and to be watched. Without it that is
               checked only if an alarm watches oldestDelayed
  --brake      a handler has the option brake: maxReceiveCount has to bear that records wait on the queue
  --strict     exits with 1 also for questions and notes: for a pipeline that has none

  Exits with 1 if it finds an error or a warning. A question is about something that doctor cannot read; a note is not a fault.`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, {
      template: { type: 'string', multiple: true },
      parameter: { type: 'string', multiple: true },
      queue: { type: 'string', multiple: true },
      delays: { type: 'boolean' },
      brake: { type: 'boolean' },
      strict: { type: 'boolean' },
      rate: { type: 'string' },
      failing: { type: 'string' },
      batch: { type: 'string' },
      retention: { type: 'string' },
    })
    positionals(given, [])
    if (values.rate !== undefined) return doctorRate(onlyRate(values), io)
    const { diagnose } = await import('../doctor/index.ts')
    const expected = {
      ...(values.delays === true && ({ delays: 'stored' } as const)),
      ...(values.brake === true && ({ brake: 'used' } as const)),
    }
    const deployment = await readInput(values, io)
    const findings = diagnose(deployment, expected)
    report(deployment, findings, io)
    return isFaulty(findings, values.strict === true) ? 1 : 0
  },
}

/** @throws UsageError */
function onlyRate(values: RateValues & Given): RateValues {
  const { template, queue, ...rate } = values
  if (template === undefined && queue === undefined) return rate
  throw new UsageError(
    '--rate: it reads neither templates nor queues: leave out --template and --queue',
  )
}

interface Given {
  readonly template?: readonly string[]
  readonly parameter?: readonly string[]
  readonly queue?: readonly string[]
}

async function readInput(
  { template = [], parameter = [], queue = [] }: Given,
  io: Io,
): Promise<Deployment> {
  if (template.length > 0 && queue.length > 0) {
    throw new UsageError('expected --template or --queue, got both')
  }
  if (template.length > 0) return readTemplates(template, parameter, io, 'Nothing was checked')
  if (queue.length === 0) {
    throw new UsageError('expected --template PATH, --queue QUEUE or --rate N, got none of them')
  }
  if (parameter.length > 0) {
    throw new UsageError('--parameter: expected --template PATH with it, got --queue')
  }
  const { fromAccount } = await import('../doctor/index.ts')
  const clients = { sqs: io.sqs(), dynamodb: io.dynamodb(), ...(await io.doctorClients()) }
  const queueUrls = await Promise.all(queue.map((each) => findUrl(clients.sqs, each)))
  return fromAccount(clients, { queueUrls, tableName: io.table })
}

function report(deployment: Deployment, findings: readonly DoctorFinding[], io: Io): void {
  if (io.json) printJson(io, { findings })
  else printDoctor(deployment, findings, io)
}
