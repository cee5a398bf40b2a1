import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { jsonLogger } from 'lineclear'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'
import { untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'
import { outside } from './tools.ts'

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 10 } }

export interface AgentResult {
  readonly calls: number
  /** How often the booking system was asked: one answer was lost. */
  readonly requests: number
  readonly bookings: number
  /** How often each page was sent. */
  readonly faxes: readonly number[]
  readonly answers: number
  /** Reasons of the dead letters. */
  readonly dead: readonly (string | undefined)[]
}

/** One turn is killed when most of its calls are made, another one within a call that must not be repeated. */
export async function run(
  calls: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<AgentResult> {
  await using cloud = await startLocalCloud({
    queues: { book: QUEUE, fax: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), answers: { hash: 'turnId' } },
  })
  Object.assign(process.env, cloud.environment)
  await cloud.instrumentAll(import.meta.url)
  Object.assign(outside, { requests: 0, bookings: new Map(), faxes: new Map() })
  const killedAt = Math.ceil((calls * 5) / 8)
  say(
    `One agent makes ${calls} bookings, and its function is killed in call ${killedAt}. ` +
      'Another one sends three faxes, and is killed in the second call …',
  )
  await Promise.all([
    // Its calls to the table: the claim, the model's answer, the answer of each tool.
    take(cloud, 'book', calls, 2 + killedAt),
    // The claim, the model's answer, and of each fax its start and its answer.
    take(cloud, 'fax', 3, 2 + 4),
  ])

  const result = {
    calls,
    requests: outside.requests,
    bookings: outside.bookings.size,
    faxes: [...outside.faxes.values()],
    answers: (await rowsOf(cloud, 'answers')).length,
    dead: cloud.inspectQueue('dead').ready.map(({ carried }) => carried.reason),
  }
  say(
    `${result.requests} requests have made ${result.bookings} bookings. Whether the second fax was sent cannot be known: its turn ` +
      `is a dead letter (${result.dead.join()}). Its pages were sent ${result.faxes.join(', ')} times.`,
  )
  await keep(cloud)
  return result
}

/** @param call at which the first invocation is killed: it leaves, and the table does not get it */
async function take(cloud: LocalCloud, tool: string, times: number, call: number): Promise<void> {
  const { handler } = await import('./handler.ts')
  const turn = { turnId: `${tool}-${times}`, question: `${tool} ${times}` }
  const message = { QueueUrl: cloud.queueUrl(tool), MessageBody: JSON.stringify(turn) }
  await cloud.sqs.send(new SendMessageCommand(message))
  await using mapping = mapQueue({
    cloud,
    queue: tool,
    handler,
    functionTimeout: '8s',
    faults: { at: [{ invocation: 1, call, fault: 'killBefore' }] },
    // It warns of the short visibility timeout, which spares a minute of waiting here.
    logger: jsonLogger('ERROR'),
  })
  await untilQuiet([mapping])
}
