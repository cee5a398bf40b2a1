import { Readable } from 'node:stream'
import { CreateTableCommand } from '@aws-sdk/client-dynamodb'
import { recordHandler, type RecordHandlerOptions } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import type { MappingClient } from '../../../src/tools/operator/pause/findMappings.ts'
import { runCli } from '../../../src/tools/cli/runCli.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { testTime } from '../../flow/flowHarness.ts'
import { fakeMapping, FakeMappings } from '../operator/fakeMappings.ts'
import { withoutLongPolls } from '../../testing/withoutLongPolls.ts'
import { documented } from '../../proof/formats/page.ts'
import { withoutSdk } from '../../testing/withoutSdk.ts'

const QUEUES = ['book', 'pay', 'ship', 'quotes', 'outside', 'dead'] as const

/** SQS and DynamoDB on this machine, with the queues of the operator tests. */
export async function startCloud(): Promise<LocalCloud> {
  const dead = { visibilityTimeout: 600, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }
  const queues = Object.fromEntries(
    QUEUES.map((queue) => [queue, queue === 'dead' || queue === 'outside' ? {} : dead]),
  )
  const tables = { lineclear: tableDefinition(), counts: { hash: 'id' } }
  return withoutSdk(
    withoutLongPolls(await startLocalCloud({ queues, tables }, { logger: quietLogger() })),
  )
}

let nth = 0

/** Each queue of a consumer is read, so that messages on it are no finding. */
function allMapped(): MappingClient {
  const read = QUEUES.filter((name) => name !== 'dead' && name !== 'outside')
  return new FakeMappings(...read.map((name) => fakeMapping(name)))
}

/** A table of its own for each test, and the command line beside it. */
export async function operatorHarness(
  cloud: LocalCloud,
  mappings: MappingClient = allMapped(),
  more: Pick<Parameters<typeof runCli>[1], 'objects' | 'sqs'> = {},
) {
  const tableName = `lineclear-${process.pid}-${(nth += 1)}`
  await cloud.dynamodb.send(new CreateTableCommand(tableDefinition({ tableName })))
  const clock = testTime()
  const logger = quietLogger()
  const store = documented(dynamoDbStore({ tableName, client: cloud.dynamodb, clock }))
  const options = { clock, store, logger, clients: { sqs: cloud.sqs } }
  return {
    clock,
    store,
    mappings,
    tableName,
    options,
    lines: logger.lines,
    item: async (pk: string, sk: string) => {
      const [read] = await store.read([{ pk, sk }], { consistent: true })
      return read?.kind === 'found' ? read.item : undefined
    },
    cli: async (...args: readonly string[]) => piped([], ...args),
    /** Makes the plan, and applies it by its name a moment later. A command without a plan is run as it is. */
    apply: async (...args: readonly string[]) => {
      const { out } = await piped([], ...args, '--json')
      const { plan } = JSON.parse(out) as { plan?: string }
      clock.advance(7)
      return piped([], ...args, ...(plan === undefined ? [] : ['--apply', plan]))
    },
    /** With something on standard input. */
    piped,
  }

  async function piped(input: readonly string[], ...args: readonly string[]) {
    const out: string[] = []
    const err: string[] = []
    const code = await runCli(['--by', 'ann', ...args], {
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
      terminal: { write: () => {} },
      stdin: Readable.from(input),
      width: undefined,
      env: { LINECLEAR_TABLE: tableName },
      cwd: '/',
      clock,
      user: () => 'operator',
      version: () => '1.2.3',
      dynamodb: cloud.dynamodb,
      sqs: cloud.sqs,
      mappings,
      ...more,
    })
    return { code, out: out.join('\n'), err: err.join('\n') }
  }
}

export type OperatorHarness = Awaited<ReturnType<typeof operatorHarness>>

/** A consumer of the queue `book`. */
export function consumerOn(
  { options }: { readonly options: Omit<RecordHandlerOptions, 'name'> },
  handler: Parameters<typeof recordHandler>[1],
  more: Partial<RecordHandlerOptions> = {},
) {
  return recordHandler({ name: 'orders', ...options, ...more }, handler)
}
