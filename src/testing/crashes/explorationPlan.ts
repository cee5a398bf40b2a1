import type { Context } from 'aws-lambda'
import type { RecordParts } from '../../library/entries/consumer/recordHandler.ts'
import { ConfigError } from '../../library/base/errors.ts'
import type { FlowParts } from '../../library/entries/flow/handleStage.ts'
import { partsOf } from '../../library/base/handler.ts'
import type { QueueMessage } from '../../library/protocol/send/messenger.ts'
import { bodyText, isRecord } from '../events/sqsEvent.ts'
import { invocationOf, queueHandlerOf } from './schedule/deliver.ts'
import { type CrashCloud, cloudOf } from './cloud/cloud.ts'
import { openScheduleContext } from './simulation/scheduleContext.ts'
import type { MemoryHandler } from '../queues/deliverNext.ts'
import type { CrashOptions, Explored } from './options.ts'
import type { ExplorationPlan } from './schedule/runSchedule.ts'
import { startInvocation, openSimulation } from './simulation/simulation.ts'

const FIRST_QUEUE = 'records'

export function explorationPlan(
  build: (cloud: CrashCloud) => Explored,
  record: unknown,
  options: CrashOptions,
): ExplorationPlan {
  const { as = 'records', also = [], together = 2, batch = 1 } = options
  const handlersBy =
    (make: (cloud: CrashCloud) => Explored) =>
    (cloud: CrashCloud): ReadonlyMap<string, MemoryHandler> => {
      const explored = make(cloud)
      if (typeof explored !== 'function') return new Map(Object.entries(explored))
      return new Map([[FIRST_QUEUE, handlerAs[as](explored as never)]])
    }
  const handlersOf = handlersBy(build)
  const idle = idleCloud(options)
  const handlers = handlersOf(idle)
  for (const handler of handlers.values()) refuseOtherSql(handler, idle)
  const queues = [...handlers.keys()]
  const first = queues[0] ?? FIRST_QUEUE
  const behind = isList(also) ? { [first]: also } : also
  const given =
    as === 'records' ? messageOf(record) : { body: JSON.stringify(record), attributes: {} }
  const messages = [{ queue: first, message: given }]
  for (const [queue, records] of Object.entries(behind)) {
    if (!queues.includes(queue))
      throw new ConfigError(`exploreCrashes: also.${queue}: expected one of ${queues.join(', ')}`)
    messages.push(...records.map((each) => ({ queue, message: messageOf(each) })))
  }
  const answers = new Map(Object.entries(options.answers ?? {}))
  const { keys = 'honoured', ignore = [], redrive = false } = options
  const redriven = typeof redrive === 'function' ? handlersBy(redrive) : handlersOf
  const terms = { keys, ignore }
  const unreached = new Set(queues)
  return {
    build: (cloud) => {
      const made = handlersOf(cloud)
      return { get: (queue) => (unreached.delete(queue), made.get(queue)) }
    },
    unreached,
    ...(redrive !== false && { redriven }),
    queues,
    messages,
    together,
    batch,
    asynchronous: as === 'invocation',
    answers,
    answered: 'at any time',
    terms,
    rows: options.rows,
    startAt: options.startAt,
    meets: messages.length > 1 && [...handlers.values()].some(isOfNewest),
  }
}

/** Only `madeOf` writes these. */
type Parts = Partial<RecordParts & FlowParts>

/** Whether the handler belongs to a flow that runs only the newest request of a key, and drops an older one that arrives later. */
function isOfNewest(handler: MemoryHandler): boolean {
  const { flow } = (partsOf(handler) ?? {}) as Parts
  return flow?.process === 'newest'
}

/** Where time stands still, no answer of a real database would ever arrive. */
function refuseOtherSql(handler: MemoryHandler, { sql }: CrashCloud): void {
  const { consumer, flow, part = '' } = (partsOf(handler) ?? {}) as Parts
  const given = (consumer ?? flow?.consumerOf(part))?.sql
  if (given === undefined || given.open === sql.open || given.raise === sql.raise) return
  throw new ConfigError(
    'exploreCrashes: sql: expected the `sql` that your function is given, (cloud) => … sql: cloud.sql; got another database, which cannot be explored',
  )
}

type Callable = (input: unknown, context: Context) => unknown

const handlerAs: Readonly<
  Record<NonNullable<CrashOptions['as']>, (explored: MemoryHandler & Callable) => MemoryHandler>
> = {
  records: (explored) => explored,
  function: queueHandlerOf,
  invocation: invocationOf,
}

function isList(also: NonNullable<CrashOptions['also']>): also is readonly unknown[] {
  return Array.isArray(also)
}

function idleCloud({ rows, startAt }: CrashOptions): CrashCloud {
  const simulation = openSimulation(0, [], new Map(), startAt)
  return cloudOf(openScheduleContext(simulation, undefined, rows), startInvocation(simulation, 0), {
    queue: '',
    messages: [],
  })
}

/** A record keeps its body, attributes and message group; anything else becomes the body of a message. */
function messageOf(record: unknown): QueueMessage {
  if (!isRecord(record)) return { body: bodyText(record), attributes: {} }
  const attributes = Object.entries(record.messageAttributes).map(
    ([name, { stringValue = '' }]) =>
      [name, { DataType: 'String', StringValue: stringValue }] as const,
  )
  const { MessageGroupId, MessageDeduplicationId } = record.attributes
  return {
    body: record.body,
    attributes: Object.fromEntries(attributes),
    ...(MessageGroupId !== undefined && { groupId: MessageGroupId }),
    ...(MessageDeduplicationId !== undefined && { deduplicationId: MessageDeduplicationId }),
  }
}
