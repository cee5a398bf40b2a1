import { Readable } from 'node:stream'
import type { Again, AnswerCost } from '../console/reply.ts'
import { optionsBefore } from '../console/form.ts'
import { shellWord } from '../operator/text/commandLine.ts'
import type { ExitCode, Io } from './command.ts'
import { type Globals, placeOf } from './globals.ts'
import type { CliProcess } from './process.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { SQSClient } from '@aws-sdk/client-sqs'

/**
 * Further commands on the table and queues of this one, which share its clients.
 * @param run runs a command, as `runCli` does
 */
export function againOn(
  io: Pick<Io, 'dynamodb' | 'sqs' | 'change'>,
  globals: Globals,
  cliProcess: CliProcess,
  run: (args: readonly string[], cliProcess: CliProcess) => Promise<ExitCode>,
): Again {
  const place = placeOf(globals)
  return async (args, signal) => {
    const lines: string[] = []
    const typed = optionsBefore(args, place)
    const [exit, cost] = await countCost(() =>
      run(['--json', ...typed], {
        ...cliProcess,
        out: (line) => void lines.push(line),
        err: () => {},
        terminal: { write: () => {} },
        stdin: Readable.from([]),
        width: undefined,
        user: () => io.change.by,
        interrupt: signal,
        dynamodb: countedDynamoDb(io.dynamodb()),
        sqs: countedSqs(io.sqs()),
      }),
    )
    const line = ['lineclear', ...typed.map(shellWord)].join(' ')
    const answer = JSON.parse(lines.join('\n')) as Readonly<Record<string, unknown>>
    return { exit, line, answer, cost }
  }
}

type Counts = { -readonly [Name in keyof AnswerCost]: AnswerCost[Name] }

const counting = new AsyncLocalStorage<Counts>()

/** Counts what the work asks of counted clients, also when other work uses the same clients meanwhile. */
async function countCost<T>(work: () => Promise<T>): Promise<readonly [T, AnswerCost]> {
  const counts: Counts = { queries: 0, units: 0, receives: 0 }
  const result = await counting.run(counts, work)
  return [result, counts]
}

/** Once per call, not per attempt: the SDK's retries of a throttled request are not billed. */
const STEP = { step: 'initialize', name: 'lineclearCost', override: true } as const

function countedDynamoDb(client: DynamoDBClient): DynamoDBClient {
  client.middlewareStack.add(
    (next) => async (call) => {
      const counts = counting.getStore()
      if (counts === undefined) return next(call)
      counts.queries += 1
      const answer = await next({
        ...call,
        input: { ReturnConsumedCapacity: 'TOTAL', ...call.input },
      })
      counts.units += unitsOf(answer.output)
      return answer
    },
    STEP,
  )
  return client
}

function countedSqs(client: SQSClient): SQSClient {
  client.middlewareStack.add(
    (next) => async (call) => {
      const counts = counting.getStore()
      if (counts !== undefined) counts.receives += 1
      return next(call)
    },
    STEP,
  )
  return client
}

/** Capacity units of a call: of its one table, or the sum over the tables of a batch. */
function unitsOf(output: object): number {
  const consumed: unknown = 'ConsumedCapacity' in output ? output.ConsumedCapacity : undefined
  let units = 0
  for (const each of [consumed].flat()) {
    if (typeof each !== 'object' || each === null || !('CapacityUnits' in each)) continue
    if (typeof each.CapacityUnits === 'number') units += each.CapacityUnits
  }
  return units
}
