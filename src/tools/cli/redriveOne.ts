import { id } from '../commands/kinds.ts'
import { commandLine } from '../operator/text/commandLine.ts'
import { readToken } from '../../library/protocol/claim/token/token.ts'
import { splitId } from '../operator/text/itemId.ts'
import { readRequest } from '../operator/explain/readRequest.ts'
import { findHomeQueues } from '../operator/dlq/destinations.ts'
import { NO_HOME } from '../operator/item/task.ts'
import type { DeadLetter } from '../operator/dlq/deadLetter.ts'
import { matcher, type Selection } from '../operator/dlq/deadLetterQueue.ts'
import { peekDeadLetters } from '../operator/dlq/look.ts'
import { readStageRecord } from '../../library/protocol/claim/stage/stageRecord.ts'
import type { Item } from '../../library/protocol/store/store.ts'
import { peekQueues, typedIds } from './dlqPeek.ts'
import { chooseQueues } from './dlqQueues.ts'
import { sharedOptions } from './dlqOptions.ts'
import { withProgress } from './terminal.ts'
import { printChange } from './change.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { explainItems } from './explain.ts'
import { findCommand } from './findCommand.ts'

export const redriveOne: Command = command({
  words: 'redrive',
  summary: 'send the dead letters of one id back: dlq redrive on their queue',
  arguments: {
    id: {
      kind: id,
      help: 'consumer/ID or flow/KEY, as lineclear explain takes it; or a uniquerequestid or SQS message id, which is sought on all dead-letter queues',
    },
  },
  options: {},
  examples: ['redrive orders/order-17'],
  receives: true,
  run: async ({ id: of }, io, signal) => redriveId(of, io, signal),
})

/** The plan is one of `dlq redrive`, which goes on with it by its name. */
async function redriveId(of: string, io: Io, signal: AbortSignal): Promise<ExitCode> {
  const args = await redriveOf(of, io, signal)
  if (args === undefined) {
    const because =
      'the table knows of no dead letter of it that could be sent back, and SQS has moved none that names it'
    const next = commandLine(['explain', ...(of.startsWith('-') ? ['--'] : []), of])
    return printChange({ action: 'redrive', id: of, outcome: 'impossible', because, next }, io)
  }
  const { command: own, args: rest } = findCommand(args, io.commands)
  return own.run(rest, { ...io, change: { ...io.change, args } })
}

/** The dead letters that `explain` advises about, whatever it advises: the cause may have been repaired since. */
async function redriveOf(
  of: string,
  io: Io,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const found = of.includes('/') ? await readRequest(io.reader(), of) : []
  const parts = await explainItems(found, undefined, io)
  const letters = parts
    .flatMap(({ facts }) => facts.advice)
    .filter(({ action = '' }) => action.startsWith('dlq.'))
  const ids = textsOf(letters.map(({ given }) => given['id']))
  const [queue, ...others] = textsOf(letters.map(({ given }) => given['queue']))
  if (ids.length > 0) return redriveArgs(others.length > 0 ? undefined : queue, ids)
  const items = found.flatMap((each) => each.items)
  const open = items.flatMap(namesOfOpen)
  if (items.length > 0 && open.length === 0) return undefined
  const home = items.length === 0 ? undefined : await homeOf(items, io)
  const moved = await movedOf([...typedIds(of), ...open], home, io, signal)
  if (moved.length > 0) return redriveArgs(home, moved)
  // It lists what is there instead.
  return items.length === 0 ? redriveArgs(undefined, [of]) : undefined
}

function redriveArgs(queue: string | undefined, ids: readonly string[]): readonly string[] {
  return ['dlq', 'redrive', queue ?? '--all', ...ids.map((each) => `--id=${each}`)]
}

/** The ids by which a message of it can be known, as long as it has not ended: SQS may have moved that. */
function namesOfOpen(item: Item): readonly string[] {
  const token = readToken(item)
  if (token !== undefined) return token.status === 'inProgress' ? [splitId(token.pk).rest] : []
  const run = readStageRecord(item)?.run
  return run === undefined ? [] : [run.uniqueRequestId]
}

/** Another consumer may have had the same payload. Without the queue of its own, all are looked at. */
async function homeOf(items: readonly Item[], io: Io): Promise<string | undefined> {
  const homeQueue = await findHomeQueues(io.sqs()).catch(() => NO_HOME)
  const homes = new Set(
    items.flatMap((item) => readToken(item) ?? []).map(({ by }) => homeQueue(by)),
  )
  return homes.size === 1 ? [...homes][0] : undefined
}

/** A look at more would not change what is planned: one request has a handful of messages. */
const MOST = 100

/**
 * SQS moves the message of a function that is killed each time, and stamps nothing on it: it is known by its message id, or by an id in
 * its payload. An id on a message says more than one in a payload.
 */
async function movedOf(
  names: readonly string[],
  queue: string | undefined,
  io: Io,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const chosen = await chooseQueues(io, { queue, queues: undefined, all: queue === undefined })
  const look = async (selection: Selection): Promise<readonly DeadLetter[]> => {
    const limits = { wanted: MOST, anyId: false }
    const { found } = await withProgress(io, 'looked at', (progress) =>
      peekQueues(chosen, limits, (each, most) =>
        peekDeadLetters(
          { queue: each, ...selection, ...sharedOptions(io, progress, signal) },
          most,
        ),
      ),
    )
    return found.map(([, letter]) => letter)
  }
  const stamped = await look({ ids: names })
  // By the name that was typed, so that the command that is typed again is of the same plan.
  if (stamped.length > 0) return names.filter((name) => stamped.some(matcher({ ids: [name] }, 0)))
  const moved = await look({ movedWith: names })
  return textsOf(moved.map(({ uniqueRequestId }) => uniqueRequestId))
}

/** Each once. What only the operator knows is left out. */
function textsOf(given: readonly unknown[]): readonly string[] {
  return [...new Set(given.flat().filter((each) => typeof each === 'string'))]
}
