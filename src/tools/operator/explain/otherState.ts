import { GRACE } from '../item/task.ts'
import type { Item } from '../../../store/store.ts'
import { formatValue } from '../text/humanTime.ts'
import { fate } from './fates.ts'
import type { Own, OtherFacts, EventFacts, KeptFacts, DelayedFacts } from './facts.ts'
import { secondsIn, timeIn } from './factParts.ts'
import { itemKey, displayId } from '../../../sweeper/address.ts'
import type { Delayed } from '../../../features/delay/delayedRow.ts'
import type { Advice } from '../item/advice.ts'
import { advise, type Command, decideCommand, note } from '../item/advise.ts'

export function otherState({ ttl, ...item }: Item): Own<OtherFacts> {
  const keptUntil = secondsIn(ttl)
  const rest = keptUntil === undefined && ttl !== undefined ? { ...item, ttl } : item
  return { kind: 'other', status: 'stored', keptUntil, attributes: attributesOf(rest) }
}

const KEY = new Set(['pk', 'sk'])
/** Payloads, answers, results, and dead letters that an operator has discarded. */
const CONTENT = new Set(['answer', 'body', 'message', 'result', 'text'])

/** As they are stored, without the key. Of what may be content only the size. */
function attributesOf(item: Item): OtherFacts['attributes'] {
  return Object.entries(item)
    .filter(([name]) => !KEY.has(name))
    .map(([name, value]) =>
      CONTENT.has(name)
        ? { name, bytes: Buffer.byteLength(formatValue(value)) }
        : { name, value: formatValue(value) },
    )
}

/** An event that is processed once. */
export function eventState({ status, created, queued }: Item): Own<EventFacts> {
  const times = { acceptedAt: timeIn(created), queuedAt: timeIn(queued) }
  if (status === 'accepted') return { kind: 'event', status, ...times, fates: [] }
  return {
    kind: 'event',
    status: status === 'queued' ? 'queued' : 'taken',
    ...times,
    fates: [fate('dropped', 'dropped as a duplicate')],
  }
}

/** `input`, `input#ID#STAGE`: a payload. */
const INPUT = /^input(?:#(.*)#([^#]*))?$/s
/** `answer#ID#STAGE:NAME`: the result of an outside call. */
const RESULT = /^answer#(.*)#([^#:]*):(.*)$/s
/** `await#STEP#ID#STEP-ID#HASH`: an answer that is kept for a join. */
const ANSWER = /^await#([^#]*)#(.*)#[^#]*#[^#]*$/s

/** Whether it holds content, of which only the size is shown: it may be private. */
export function isKept(item: Item): boolean {
  const { sk } = itemKey(item)
  return INPUT.test(sk) || RESULT.test(sk) || (ANSWER.test(sk) && typeof item['body'] === 'string')
}

export function keptState(item: Item): Own<KeptFacts> {
  const { sk } = itemKey(item)
  const { body, answer, ttl, externalId, ...rest } = item
  const common = {
    kind: 'kept',
    bytes: bytesOf(RESULT.test(sk) ? answer : body),
    keptUntil: secondsIn(ttl),
    attributes: attributesOf(rest),
  } as const
  const [, ofResult, stage, call] = RESULT.exec(sk) ?? []
  if (ofResult !== undefined) {
    return { ...common, status: 'result', request: ofResult, stage, name: call }
  }
  const [, step, ofAnswer] = ANSWER.exec(sk) ?? []
  if (ofAnswer !== undefined) {
    const name = typeof externalId === 'string' ? externalId : undefined
    return { ...common, status: 'answer', request: ofAnswer, stage: step, name }
  }
  const [, request, ofStage] = INPUT.exec(sk) ?? []
  return { ...common, status: 'payload', request, stage: ofStage, name: undefined }
}

function bytesOf(content: unknown): number {
  return Buffer.byteLength(typeof content === 'string' ? content : '')
}

/** What the row says. */
export type DelayedState = Own<DelayedFacts, 'since' | 'endedAt'>

export function delayedState(row: Delayed, now: number): DelayedState {
  const { due, dueAt, queue, by, uniqueRequestId: request, recordPk } = row
  const run = recordPk === undefined ? undefined : displayId(recordPk)
  return { kind: 'delayed', status: statusOf(row, now), due, dueAt, queue, by, request, run }
}

function statusOf({ status, due, dueAt = due }: Delayed, now: number): DelayedFacts['status'] {
  if (status !== 'due') return status
  if (dueAt > due) return 'heldBack'
  return due > now ? 'waiting' : 'due'
}

const SWEEP: Command = { action: 'sweep', last: ['--apply'] }

export function adviseDelayed(row: Delayed, id: string, now: number): readonly Advice[] {
  const { recordPk, uniqueRequestId: request, due } = row
  const status = statusOf(row, now)
  if (status === 'sent' || status === 'void') return []
  return [
    status === 'heldBack' && recordPk !== undefined
      ? advise(
          `its run has died: it is sent after the redrive of ${request}, or when SQS no longer keeps the dead letter. `,
          { action: 'explain', positionals: { id: displayId(recordPk) } },
          { cure: true },
        )
      : status === 'due' && due < now - GRACE
        ? advise('the sweeper should have sent it: ', SWEEP, { cure: true })
        : note('nothing to do, the sweeper sends it', { cure: true }),
    advise('if it must not be sent: ', decideCommand(id, 'drop')),
  ]
}
