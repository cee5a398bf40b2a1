import type { Attributes } from '../../library/protocol/record/envelope/envelope.ts'
import { bodyHash, bodyOf, carriedHash } from '../../library/protocol/record/message/message.ts'
import type { DeadLetter } from '../operator/dlq/deadLetter.ts'
import type { Selection } from '../operator/dlq/deadLetterQueue.ts'
import { peekDeadLetters, type PeekReport } from '../operator/dlq/look.ts'
import { splitId } from '../operator/text/itemId.ts'
import { payloadPlace, formatTime } from '../operator/text/humanTime.ts'
import { positiveInteger, flag, number } from '../commands/kinds.ts'
import { type Command, command, type Io } from './command.ts'
import {
  FIFO_HEADS,
  isSelective,
  deadLetterCount,
  lookedAt,
  SELECTION,
  selectionOf,
  sharedOptions,
} from './dlqOptions.ts'
import { withProgress } from './terminal.ts'
import {
  type ChosenQueues,
  chooseQueues,
  onEachQueue,
  QUEUE,
  QUEUES,
  unreadLines,
} from './dlqQueues.ts'
import { jsonTime, printJson, oneLine } from './table.ts'

export const peek: Command = command({
  words: 'dlq peek',
  summary: 'single dead letters',
  about: ['Dead letters that were looked at become visible again after a minute at most.'],
  arguments: { queue: { ...QUEUE, help: `${QUEUE.help}; without it all of the account` } },
  options: {
    ...QUEUES,
    ...SELECTION,
    most: {
      kind: positiveInteger,
      help: 'at most so many (default 10, or one for each --id)',
      page: number(1, 100),
    },
    body: {
      kind: flag,
      help: 'also their bodies, which may hold personal data; --json cuts nothing',
      page: true,
    },
  },
  examples: ['dlq peek orders-dead --group 6f3d9a1c', 'dlq peek --id order-17 --body'],
  route: 'letters',
  receives: true,
  run: async (given, io, signal) => {
    const selection = selectionOf(given)
    const { ids } = selection
    const wanted = given.most ?? ids?.length ?? 10
    const chosen = await chooseQueues(io, given)
    const look = async (selected: Selection) =>
      withProgress(io, 'looked at', async (progress) => {
        const options = { ...selected, ...sharedOptions(io, progress, signal) }
        return peekQueues(chosen, { wanted, anyId: ids === undefined }, (queue, most) =>
          peekDeadLetters({ queue, ...options }, most),
        )
      })
    const named = await look(selection)
    const byPayload = ids !== undefined && named.found.length === 0 && !signal.aborted
    const { found, ...peeked } = byPayload ? await look(movedWith(selection, ids)) : named
    const views = found.map(([queue, deadLetter]) => viewOf(queue, deadLetter, given.body))
    if (io.json) printJson(io, { letters: views, ...peeked })
    else {
      if (byPayload && views.length > 0) io.out(BY_PAYLOAD)
      for (const view of views) printView(view, io)
      io.out(
        `${deadLetterCount(views.length)} shown, ${lookedAt(peeked)} looked at${peeked.more ? '; there may be more: --most' : ''}`,
      )
      if (peeked.fifo) io.out(FIFO_HEADS)
      for (const line of unreadLines(peeked.unread)) io.out(oneLine(line))
    }
    if (peeked.unread.length > 0) return 1
    return views.length === 0 && isSelective(given) ? 4 : 0
  },
})

const BY_PAYLOAD =
  'No dead letter is under the id. SQS has moved these, and the id is a value in their payload:'

/** What names its request in its payload only. */
function movedWith(selection: Selection, ids: readonly string[]): Selection {
  return { ...selection, ids: undefined, movedWith: ids.flatMap(typedIds) }
}

/** As it was typed, and without the name of a consumer before it. */
export function typedIds(id: string): readonly string[] {
  const { rest } = splitId(id)
  return rest === '' ? [id] : [id, rest]
}

/** `visible`: messages on the queues, of which `looked` were read. `more`: there are others. */
interface Peeked {
  readonly found: readonly (readonly [queue: string, deadLetter: DeadLetter])[]
  readonly looked: number
  readonly visible: number
  readonly more: boolean
  readonly fifo: boolean
  readonly unread: ChosenQueues['unread']
}

export async function peekQueues(
  chosen: ChosenQueues,
  { wanted, anyId }: { readonly wanted: number; readonly anyId: boolean },
  peekOne: (queue: string, most: number) => Promise<PeekReport>,
): Promise<Peeked> {
  const found: [queue: string, deadLetter: DeadLetter][] = []
  const unread = [...chosen.unread]
  const totals = { looked: 0, visible: 0, more: false, fifo: false }
  let asks = 0
  for await (const asked of onEachQueue(chosen, (queue) => peekOne(queue, wanted - found.length))) {
    asks += 1
    if ('unread' in asked) {
      unread.push(asked.unread)
      continue
    }
    const { queue, result } = asked
    for (const deadLetter of result.deadLetters) found.push([queue, deadLetter])
    totals.looked += result.looked
    totals.visible += result.visible
    totals.more ||= result.more
    totals.fifo ||= result.fifo
    if (found.length === wanted) break
  }
  const skipped = anyId && found.length === wanted && asks < chosen.queues.length
  // Queues that were not asked have their counts from the list.
  const listed = chosen.found?.reduce((sum, { visible }) => sum + visible, 0) ?? 0
  const visible = Math.max(totals.visible, skipped ? listed : 0)
  return { found, ...totals, visible, more: totals.more || skipped, unread }
}

interface View {
  readonly [name: string]: unknown
  readonly attributes: Readonly<Record<string, string>>
}

function viewOf(queue: string, deadLetter: DeadLetter, withBody: boolean): View {
  const { record, envelope } = deadLetter
  const { carried } = envelope
  const system = record.attributes
  return {
    uniquerequestid: deadLetter.uniqueRequestId,
    queue,
    messageId: record.messageId,
    identity: deadLetter.identity,
    group: deadLetter.group,
    of: deadLetter.origin,
    reason: deadLetter.reason,
    error: deadLetter.error === '' ? undefined : deadLetter.error,
    stack: deadLetter.stack,
    attempts: deadLetter.attempts,
    death: carried.death,
    received: Number(system.ApproximateReceiveCount),
    sentAt: jsonTime(deadLetter.sentAt),
    firstSentAt: jsonTime(carried.sentAt),
    flow: carried.flow && `${carried.flow.name}/${carried.flow.key}`,
    run: carried.flow?.id,
    movedFrom: system.DeadLetterQueueSourceArn,
    messageGroup: system.MessageGroupId,
    attributes: textsOf(envelope.attributes),
    bytes: Buffer.byteLength(record.body),
    ...(deadLetter.reason === 'conflict' && { sha256: sha256Of(deadLetter) }),
    payload: payloadPlace(envelope),
    ...(withBody && { body: envelope.body }),
  }
}

/** As the record of the request has it that was taken under the same id. */
function sha256Of({ envelope: { carried, body } }: DeadLetter): string {
  const { payload } = carried
  const hash = payload === undefined ? bodyHash(body) : carriedHash(payload.sha256, true)
  return bodyOf(hash)
}

function textsOf(attributes: Attributes): Readonly<Record<string, string>> {
  const texts = Object.entries(attributes).map(([name, { value }]) => [
    name,
    typeof value === 'string' ? value : Buffer.from(value).toString('base64'),
  ])
  return Object.fromEntries(texts) as Record<string, string>
}

/** `--json` cuts nothing. */
const CUT = 400
const TIMES = new Set(['sentAt', 'firstSentAt'])

function printView({ attributes, ...facts }: View, io: Io): void {
  const line = (name: string, text: string): void =>
    io.out(`  ${name.padEnd(16)}${oneLine(text.length > CUT ? `${text.slice(0, CUT)}…` : text)}`)
  io.out(oneLine(String(facts['uniquerequestid'])))
  for (const [name, value] of Object.entries(facts)) {
    if (value === undefined || name === 'uniquerequestid') continue
    const said = typeof value === 'string' ? value : JSON.stringify(value)
    const text = TIMES.has(name) ? formatTime(Date.parse(said), io.clock.now()) : said
    const [first = '', ...more] = name === 'stack' ? text.split('\n') : [text]
    line(name, first)
    for (const each of more) line('', each)
  }
  for (const [name, text] of Object.entries(attributes)) line(`@${name}`, text)
}
