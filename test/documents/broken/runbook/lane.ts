import type { SQSRecord } from 'aws-lambda'
import { type RecordHandlerOptions, recordHandler } from 'lineclear'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import type { SqsHandler } from '../../../../src/library/entries/consumer/recordHandler.ts'
import type { Faults } from '../../../../src/testing/local/faults/faults.ts'
import { newInvocation } from '../../../../src/testing/local/faults/invocation.ts'
import { invoke } from '../../../../src/testing/local/mapping/invoke.ts'
import { deliver, emptyQueues, hand, receive } from '../../../deliver/deliver.ts'
import { lambdaContext } from '../../../deliver/lambdaContext.ts'
import { quietLogger } from '../../../deliver/quietLogger.ts'
import { sendCopy, type Queue } from '../../../flow/flowHarness.ts'
import { counting, tripOn } from '../../../flow/trip.ts'
import { countOf } from '../../../tools/cli/counts.ts'
import { operatorHarness } from '../../../tools/cli/operatorHarness.ts'
import { withoutLongPolls } from '../../../testing/withoutLongPolls.ts'

const CONSUMED = { visibilityTimeout: 600, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }
const FIFO = { visibilityTimeout: 18, deadLetter: { queue: 'dead.fifo', maxReceiveCount: 100 } }
const QUEUES = {
  book: CONSUMED,
  pay: CONSUMED,
  ship: CONSUMED,
  quotes: CONSUMED,
  moving: { ...CONSUMED, deadLetter: { queue: 'dead', maxReceiveCount: 2 } },
  outside: {},
  undelivered: {},
  dead: {},
  'one.fifo': FIFO,
  'two.fifo': FIFO,
  'dead.fifo': {},
}

export async function startLaneCloud(): Promise<LocalCloud> {
  const tables = { lineclear: tableDefinition(), counts: { hash: 'id' } }
  return withoutLongPolls(
    await startLocalCloud({ queues: QUEUES, tables }, { logger: quietLogger() }),
  )
}

type Work = Parameters<typeof recordHandler>[1]

/** A consumer or a flow with a table and a clock of its own. Its queues are empty. */
export async function openLane(cloud: LocalCloud, queues: 'empty' | 'as it is' = 'empty') {
  if (queues === 'empty') await emptyQueues(cloud, Object.keys(QUEUES))
  const harness = await operatorHarness(cloud)
  const seat = harness.tableName
  const take = async (queue: string): Promise<SQSRecord> => {
    const [record, ...others] = await receive(cloud, queue)
    if (record === undefined || others.length > 0) throw new Error(`${queue}: not one message`)
    return record
  }
  return {
    ...harness,
    cloud,
    /** A command as it is typed. */
    typed: async (...words: readonly string[]) => {
      const { code, out, err } = await harness.cli(...words)
      harness.clock.advance(7)
      return { code, text: `${out}\n${err}` }
    },
    /** A consumer of the queue `book`, whose messages all have the id r1. */
    consumer: (work: Work, more: Partial<RecordHandlerOptions> = {}): SqsHandler =>
      recordHandler({ name: 'orders', ...harness.options, id: () => 'r1', ...more }, work),
    flow: (more: Parameters<typeof tripOn>[2] = {}) => tripOn(cloud, harness as never, more),
    /** An effect, and how often it has happened. */
    seat: counting(seat),
    seats: () => countOf(cloud, seat),
    take,
    taken: (queue: string) => receive(cloud, queue),
    deliver: (queue: string, handler: SqsHandler) => deliver(cloud, queue, handler),
    hand: (queue: string, record: SQSRecord, handler: SqsHandler) =>
      hand(cloud, queue, [record], handler),
    copy: (queue: string, record: SQSRecord) => sendCopy(cloud, queue as Queue, record),
    /** The function dies before its nth call. @returns the message, which stays hidden */
    kill: async (queue: string, handler: SqsHandler, call: number): Promise<SQSRecord> => {
      const at = [{ invocation: 1, call, fault: 'killBefore' }] as const
      const { kind, record } = await withFaults(await take(queue), handler, { at })
      if (kind !== 'killed') throw new Error(`expected to be killed at call ${call}: ${kind}`)
      return record
    },
    /** Each call to AWS is refused for too many requests. @returns the message, which stays hidden */
    throttled: async (queue: string, handler: SqsHandler): Promise<SQSRecord> => {
      const { record } = await withFaults(await take(queue), handler, { throttle: 1 })
      return record
    },
    /** How many messages are visible. */
    waitingIn: (queue: string) => cloud.inspectQueue(queue).ready.length,
  }
}

async function withFaults(record: SQSRecord, handler: SqsHandler, faults: Faults) {
  const { kind } = await invoke(
    (event, lambda) => handler(event, lambda),
    JSON.stringify({ Records: [record] }),
    lambdaContext(10_000),
    newInvocation(1, faults, () => {}),
  )
  return { kind, record }
}

export type Lane = Awaited<ReturnType<typeof openLane>>
