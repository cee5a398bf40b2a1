import { readAwaiting } from '../../../claim/awaiting/awaiting.ts'
import { readExternalIds } from '../../../claim/awaiting/externalIds.ts'
import { readToken } from '../../../claim/token/token.ts'
import { readDeadRun } from '../../../claim/stage/deadRun.ts'
import { readStageRecord } from '../../../claim/stage/stageRecord.ts'
import { isUndo, readKeptRecord } from '../../../claim/token/deadRecord.ts'
import { isDelayedKey, readDelayed } from '../../../delay/delayedRow.ts'
import type { Item } from '../../../store/store.ts'
import { displayId, isIdempotencyKey, itemKey, splitId } from '../../address.ts'
import {
  describeAwaiting,
  describeStageRecord,
  describeEntry,
  stagesInOrder,
} from './describeFlow.ts'
import { describeDelayed } from './describeDelayed.ts'
import { describeLastMarks, describeSent } from './describeKept.ts'
import { describeToken, stackLines } from './describeToken.ts'
import { fateOfCall, fateOfFlowCopy, fateOfCopy } from './explainCopies.ts'
import {
  suggestForAwaiting,
  suggestForDeadRun,
  suggestForDelayed,
  suggestForRun,
  suggestForToken,
  suggestForUndo,
} from './suggestCommands.ts'
import { formatTime } from '../text/humanTime.ts'
import type { StoredRequest } from './readRequest.ts'
import { describeUndo, stepName } from '../item/task.ts'
import { logLines } from './insights.ts'
import { type HomeQueue, NO_HOME } from '../item/homeQueue.ts'
import { formatValue } from '../text/formatValue.ts'

/** One item in words: its state, what the next delivery does, which commands may help. */
export interface Explanation {
  readonly title: string
  readonly lines: readonly string[]
}

interface ExplainOptions {
  /** A `uniquerequestid`: adds what a flow remembers of it. */
  readonly request?: string | undefined
  /** Where dead letters are redriven from. Default: not known. */
  readonly homeQueue?: HomeQueue
}

export function explainRequest(
  shown: StoredRequest,
  now: number,
  options: ExplainOptions = {},
): readonly Explanation[] {
  return shown.items.map((item) => {
    const { title, lines } = explainItem(item, shown.items, now, options)
    return { title, lines: [...lines, ...operatorLine(item)] }
  })
}

function explainItem(
  item: Item,
  all: readonly Item[],
  now: number,
  { request, homeQueue = NO_HOME }: ExplainOptions,
): Explanation {
  const { pk, sk } = itemKey(item)
  const id = displayId(pk)
  if (sk === 'token') return explainToken(id, item, all, now, homeQueue)
  if (sk === 'stage') return explainRecord(id, item, all, now, request)
  if (sk === 'once') return explainEvent(id, item)
  if (sk.startsWith('dead#')) return explainDead(id, item, now, homeQueue)
  if (isDelayedKey(pk)) return explainDelayed(id, item, now)
  if (sk === 'input' || sk.startsWith('input#')) return explainKeptPayload(id, sk, item, now)
  const awaiting = sk.startsWith('await#') ? readAwaiting(item) : undefined
  if (awaiting !== undefined) {
    const title = `step ${stepName(sk)} of ${id}, for ${awaiting.uniqueRequestId}`
    const step = stepName(sk)
    return {
      title,
      lines: [
        ...describeAwaiting(awaiting, now, item),
        ...suggestForAwaiting(awaiting, { id, step, externalId: readExternalIds(item)[0] }, now),
      ],
    }
  }
  return { title: `${id} ${sk}`, lines: plainLines(item, now) }
}

function explainToken(
  id: string,
  item: Item,
  all: readonly Item[],
  now: number,
  homeQueue: HomeQueue,
): Explanation {
  const token = readToken(item)
  const { pk } = itemKey(item)
  const kind = isIdempotencyKey(pk) ? 'key' : isUndo(pk) ? 'undo' : 'request'
  const title = `${kind} ${id}`
  if (token === undefined) return { title, lines: [UNREADABLE] }
  return {
    title,
    lines: [
      ...undoLine(item),
      ...describeToken(token, now),
      ...describeSent(item['sent']),
      ...claimLine(item, now),
      isIdempotencyKey(token.pk)
        ? `if called now: ${fateOfCall(token, now)}`
        : `if delivered now: ${fateOfCopy(token, now)}`,
      ...suggestForUndo(token, id, readKeptRecord(all.find(({ sk }) => sk === 'input'))),
      ...suggestForToken(token, id, now, homeQueue(token.by)),
      ...logLines({
        pk: token.pk,
        lockedBy: item['lockedBy'],
        ...(!isIdempotencyKey(token.pk) && { uniqueRequestId: splitId(token.pk).rest }),
      }),
    ],
  }
}

function undoLine({ undoes }: Item): readonly string[] {
  return typeof undoes === 'string' ? [`undo of ${undoes}`] : []
}

function explainRecord(
  id: string,
  item: Item,
  all: readonly Item[],
  now: number,
  request: string | undefined,
): Explanation {
  const record = readStageRecord(item)
  const title = `flow ${id}`
  if (record === undefined) return { title, lines: [UNREADABLE] }
  const asked = request ?? record.run?.uniqueRequestId
  const copy =
    asked === undefined
      ? []
      : [`if ${asked} is delivered now: ${fateOfFlowCopy(record, all, asked, now)}`]
  return {
    title,
    lines: [
      ...describeStageRecord(record, now),
      ...describeLastMarks(record, item),
      ...copy,
      ...suggestForRun(record, id, now),
      ...logLines({ pk: record.key.pk, uniqueRequestId: asked }),
    ],
  }
}

function explainDead(id: string, item: Item, now: number, homeQueue: HomeQueue): Explanation {
  const parked = readDeadRun(item)
  const isUndo = item['undo'] !== undefined
  const title = isUndo ? `undo of ${id}` : `dead request of ${id}`
  if (parked === undefined) return { title, lines: [UNREADABLE] }
  const { uniqueRequestId, stages, marks } = parked
  const { error, stack } = item
  return {
    title: `${title}: ${uniqueRequestId}`,
    lines: [
      ...(isUndo ? [describeUndo(item)] : []),
      ...stagesInOrder(stages).map(
        ([name, entry]) => `stage ${name}: ${describeEntry(entry, now)}`,
      ),
      ...(typeof error === 'string' ? [`error: ${error}`] : []),
      ...stackLines(stack),
      ...(marks.size === 0
        ? []
        : [
            `effects and calls that are ${isUndo ? 'undone' : 'not repeated'}: ${[...marks].join(', ')}`,
          ]),
      // The record identifies the queue of the stage that began the run, and this is of the stage where it died.
      ...suggestForDeadRun(item, id, uniqueRequestId, homeQueue(undefined)),
      ...logLines({ pk: itemKey(item).pk, uniqueRequestId }),
    ],
  }
}

function explainEvent(id: string, { status, created, queued }: Item): Explanation {
  const title = `event ${id}, processed once`
  if (status === 'accepted') {
    return {
      title,
      lines: [
        `accepted ${formatValue(created)}, not yet on its queue: a duplicate call or the sweeper queues it`,
      ],
    }
  }
  const state =
    status === 'queued' ? `queued ${formatValue(queued)}` : `taken ${formatValue(created)}`
  return { title, lines: [state, 'if delivered now: dropped as a duplicate'] }
}

function explainDelayed(id: string, item: Item, now: number): Explanation {
  const row = readDelayed(item)
  const title = `delayed message ${id}`
  if (row === undefined) return { title, lines: [UNREADABLE] }
  return { title, lines: [...describeDelayed(row, now), ...suggestForDelayed(row, id)] }
}

const UNREADABLE =
  'written by a newer version, or by hand: this version cannot read it, and will not run it'

function claimLine({ lockedBy, created, actualCompletion }: Item, now: number): readonly string[] {
  const at =
    typeof created === 'string' ? formatTime(Date.parse(created), now) : 'at an unknown time'
  const claimed = typeof lockedBy === 'string' ? [`claimed ${at} by ${lockedBy}`] : []
  const ended =
    typeof actualCompletion === 'string'
      ? [`ended ${formatTime(Date.parse(actualCompletion), now)}`]
      : []
  return [...claimed, ...ended]
}

function operatorLine(item: Item): readonly string[] {
  const { operatorDid, operatorBy, operatorAt, operatorWhy } = item
  if (typeof operatorDid !== 'string') return []
  return [
    `changed by ${formatValue(operatorBy)}, ${formatValue(operatorAt)}: ${operatorDid} (${formatValue(operatorWhy)})`,
  ]
}

/** `input`, or `input#ID#STAGE`. Its body may hold private data, so only its size is shown. */
function explainKeptPayload(id: string, sk: string, item: Item, now: number): Explanation {
  const { body, ...rest } = item
  const bytes = Buffer.byteLength(typeof body === 'string' ? body : '')
  const [, request = '', stage = ''] = /^input#(.*)#([^#]*)$/.exec(sk) ?? []
  return {
    title:
      sk === 'input'
        ? `payload of ${id}, kept for its undo`
        : `payload of stage ${stage} of ${id}, kept for the undo of ${request}`,
    lines: [`bytes: ${bytes}`, ...plainLines(rest, now)],
  }
}

const HIDDEN = new Set(['pk', 'sk'])

function plainLines(item: Item, now: number): readonly string[] {
  return Object.entries(item)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, value]) =>
      name === 'ttl' && typeof value === 'number'
        ? `kept until: ${formatTime(value * 1_000, now)}`
        : `${name}: ${formatValue(value)}`,
    )
}
