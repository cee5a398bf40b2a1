import { messageOf } from '../../library/base/errors.ts'
import { isAvailable, MissingPackageError } from '../doctor/account/clients.ts'
import { readRequest } from '../operator/explain/readRequest.ts'
import { applyForgetting } from '../operator/forget/applyForgetting.ts'
import { readPlace, type ObjectPlace } from '../operator/forget/objects.ts'
import { findOnQueue } from '../operator/forget/onQueue.ts'
import {
  type ForgetReport,
  type GivenObjects,
  type NotErased,
  planForgetting,
  type Taken,
} from '../operator/forget/planForgetting.ts'
import { type ToForget, toForget } from '../operator/forget/subject.ts'
import { id, kind, type Kind } from '../commands/kinds.ts'
import { type BoundReport, type BoundTo, type Planning, runBound } from './boundRun.ts'
import type { Operator } from './change.ts'
import { type Command, command, type Io } from './command.ts'
import { sharedOptions } from './dlqOptions.ts'
import { type ChosenQueues, chooseQueues, onQueuesTogether, QUEUES } from './dlqQueues.ts'
import { listLines } from './table.ts'
import { withProgress } from './terminal.ts'
import { UsageError } from './usageError.ts'

const place: Kind<ObjectPlace> = kind(
  'PLACE',
  (text, refuse) => readPlace(text) ?? refuse('s3://BUCKET/PREFIX, as s3Objects has them'),
)

const SUBJECT: Planning = {
  nothing: 'nothing that could be erased is stored of it',
  nothingLeft: 'nothing of the plan is stored any more',
  again: (_name, { change }) => change.line,
}

export const forgetId: Command = command({
  words: 'forget',
  summary:
    'erase payloads, results and error texts of one id; its identity stays, so that nothing runs twice',
  about: [
    'In the table, in dead letters that dlq discard has kept, and with --objects in the bucket of the option offload. What can still run is left: end it first. Dead letters on queues are named, each with the command that takes it away. Ends with 1 while something is not erased, or could not be looked at.',
  ],
  arguments: { id: { kind: id, help: 'consumer/ID, name/KEY, flow/KEY or later/ID' } },
  options: {
    queues: QUEUES.queues,
    objects: {
      kind: place,
      help: 'where the option offload keeps its objects: s3://BUCKET/lineclear',
    },
  },
  examples: [
    'forget orders/order-17',
    'forget checkout/cart-5 --objects s3://shop-objects/lineclear',
  ],
  changes: 'plan',
  long: true,
  receives: true,
  run: async ({ id: of, queues, objects: at }, io, signal) => {
    if (!of.includes('/')) {
      throw new UsageError(
        `ID: expected consumer/ID, name/KEY, flow/KEY or later/ID, got ${JSON.stringify(of)}`,
      )
    }
    const subject = toForget(of)
    const objects = at && (await openObjects(at, io))
    const run = async (bound: BoundTo<Taken>, operator?: Operator): Promise<ForgetReport> => {
      const shared = {
        subject,
        objects,
        signal,
        store: io.store(),
        reader: io.reader(),
        now: io.clock.now(),
      }
      const report =
        bound.mode === 'plan' || operator === undefined
          ? await planForgetting(shared, bound.onPlanned ?? (() => {}))
          : await applyForgetting({
              ...shared,
              ...operator,
              only: bound.only ?? [],
              onPage: bound.onPage,
            })
      if (report.ended !== 'complete') return report
      const letters = await lettersOf(subject, queues, io, signal)
      return { ...report, notErased: [...report.notErased, ...letters] }
    }
    const isUnknown = (await readRequest(io.reader(), of)).length === 0
    const change = { planning: SUBJECT, action: 'forget', id: of, run, read, lines }
    return runBound({ ...change, notFound: () => [NO_ITEM] }, io, isUnknown)
  },
})

/** @throws MissingPackageError, or UsageError when there is no S3 */
async function openObjects(at: ObjectPlace, io: Io): Promise<GivenObjects> {
  const client = await io.objects()
  if (isAvailable(client)) return { client, place: at }
  if (client.package !== undefined) throw new MissingPackageError(client.package)
  throw new UsageError(`--objects: ${client.why}. ${client.cure}`)
}

/** A queue that cannot be looked at, or listed, may hold a dead letter of it. */
async function lettersOf(
  subject: ToForget,
  queues: string | undefined,
  io: Io,
  signal: AbortSignal,
): Promise<readonly NotErased[]> {
  const chosen = await chooseQueues(io, {
    queue: undefined,
    queues,
    all: queues === undefined,
  }).catch((error: unknown): NotErased => ({
    what: 'dead-letter queues',
    because: `they could not be listed: ${messageOf(error)}`,
  }))
  return 'because' in chosen ? [chosen] : lookAt(chosen, subject, io, signal)
}

async function lookAt(
  chosen: ChosenQueues,
  subject: ToForget,
  io: Io,
  signal: AbortSignal,
): Promise<readonly NotErased[]> {
  return withProgress(io, 'looked at', async (progress) => {
    const notErased = chosen.unread.map(({ name, why }) => unread(name, why))
    const work = (queue: string): Promise<readonly NotErased[]> =>
      findOnQueue(subject, { queue, ...sharedOptions(io, progress, signal) })
    for await (const each of onQueuesTogether(chosen, work)) {
      if ('unread' in each) notErased.push(unread(each.unread.name, each.unread.why))
      else notErased.push(...each.result)
    }
    return notErased
  })
}

function unread(name: string, why: string): NotErased {
  return { what: name, because: `it was not looked at: ${why}` }
}

function read({ erased, notErased, ended }: ForgetReport): BoundReport {
  return { done: erased.length, incomplete: notErased.length > 0, ended }
}

function lines({ mode, erased, notErased }: ForgetReport): readonly string[] {
  return [
    ...(erased.length > 0 ? [mode === 'plan' ? 'would be erased:' : 'erased:'] : []),
    ...listLines(erased),
    ...(notErased.length > 0 ? ['not erased:'] : []),
    ...listLines(notErased.map(({ what, because }) => `${what}: ${because}`)),
    ...(mode === 'plan' && erased.some((each) => each.includes('/payloads/')) ? [SHARED] : []),
    ELSEWHERE,
  ]
}

const NO_ITEM =
  'No item has this id as it was typed. lineclear explain ID --scan finds a bare id; keys of callers are stored by a hash: lineclear explain --name NAME --key KEY'
const SHARED =
  'A payload in the bucket has its hash as its name: another message with the very same payload can then not be read.'
const ELSEWHERE =
  'Not looked at: messages that wait on source queues, logs, backups, and what handlers have written elsewhere.'
