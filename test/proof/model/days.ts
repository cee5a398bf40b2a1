import { tokenKey } from '../../../src/library/protocol/claim/token/token.ts'
import { parseObject } from '../../../src/library/protocol/record/envelope/json.ts'
import { attributeOf, type SimulatedMessage } from '../../../src/testing/queues/simulatedQueue.ts'
import type { Actor, NextEvent } from '../../../src/testing/crashes/simulation/simulation.ts'
import type { Model } from './model.ts'
import { forgetTokens, type Table } from './modelStore.ts'
import { ID } from './scenario.ts'
import { textOf } from './texts.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** How long an ended request is remembered in scenarios with days. Two jumps are longer, and SQS keeps a message through both. */
export const RETENTION: number = 10 * DAY
const SQS_KEEPS = 14 * DAY
/** Until just before the retention is over, and from there past it. */
export const JUMPS: readonly [long: number, short: number] = [RETENTION - HOUR, 2 * HOUR]

/** The time that passes between deliveries, and what the table forgets meanwhile. */
export interface Days {
  /** How often the clock may still jump by days. */
  left: number
  /** The record of the request may also be lost, by hand or by a restore. */
  readonly loses: boolean
  /** When it was. */
  lostAt?: number
  /** Tokens of complete requests that were deleted. */
  readonly ended: Set<string>
}

export function openDays(left: number, loses = false): Days {
  return { left, loses, ended: new Set() }
}

/** What the table does with what has expired: DynamoDB deletes it at that moment at the earliest, and days later at the latest. */
const KEEPING = { words: 'and the table keeps all', happens: (): void => {} }
const DELETING = { words: 'and the table deletes what has expired', happens: deleteExpired }
const LOSING = { words: 'and the record of the request is lost', happens: lose }

/** Days pass only while nothing runs and no write is on the wire, and no longer than SQS keeps what waits. */
export function daysPass(model: Model, running: readonly Actor[]): NextEvent[] {
  const { simulation, queue, deadLetters, days } = model
  if (days === undefined || days.left === 0) return []
  if (running.length > 0 || simulation.pending.length > 0) return []
  const waiting = [...queue.messages, ...deadLetters.messages]
  const room = Math.min(...waiting.map(({ sentAt }) => sentAt + SQS_KEEPS)) - simulation.now
  const ways = [KEEPING, DELETING, ...(mayLose(days, waiting) ? [LOSING] : [])]
  const stop: NextEvent = {
    words: 'no more days pass',
    fault: undefined,
    take: () => (days.left = 0),
  }
  const jumps = JUMPS.filter((jump) => jump < room).flatMap((jump) =>
    ways.map(({ words, happens }): NextEvent => {
      const take = (): void => {
        days.left -= 1
        simulation.now += jump
        happens(model, days)
      }
      return { words: `${jump / HOUR} hours pass, ${words}`, fault: undefined, take }
    }),
  )
  return [stop, ...jumps]
}

/** A first sending looks like a new request once its record is lost. */
function mayLose({ loses, lostAt }: Days, waiting: readonly SimulatedMessage[]): boolean {
  return loses && lostAt === undefined && waiting.every(isMarked)
}

function isMarked({ resendNumber, death }: SimulatedMessage): boolean {
  return resendNumber > 0 || death > 0
}

function deleteExpired({ table, simulation }: Model, days: Days): void {
  table.deletes.until = simulation.now
  for (const [pk, { status }] of forgetTokens(table)) {
    if (status === undefined) days.ended.add(pk)
  }
}

function lose({ table, simulation }: Model, days: Days): void {
  days.lostAt = simulation.now
  table.deletes.until = simulation.now
  const { pk } = tokenKey('orders', ID)
  if (table.tokens.get(pk)?.['status'] === undefined) days.ended.add(pk)
  void table.base.update([{ key: { pk, sk: 'token' }, where: [], set: { ttl: 0 } }])
  table.tokens.delete(pk)
  table.before.delete(pk)
}

/** Whether SQS may deliver it once more without a further dead letter: as too old, or of a lost record. */
export function mayComeAgain({ simulation, days }: Model, queued: SimulatedMessage): boolean {
  if (days === undefined) return true
  const sentAt = parseObject(attributeOf(queued.message, 'lineclear') ?? '{}')?.['sentAt']
  const isYoung = simulation.now - Number(sentAt ?? queued.sentAt) <= RETENTION
  return isYoung && days.lostAt === undefined && simulation.now - queued.sentAt < SQS_KEEPS
}

/** The request was completed, and that is stored, or was until it expired. */
export function hasEnded({ table, days }: Model): boolean {
  const { pk } = tokenKey('orders', ID)
  const token = table.tokens.get(pk)
  return token === undefined ? days?.ended.has(pk) === true : token['status'] === undefined
}

/** All of it that makes a difference to what follows. */
export function daysInText(days: Days, table: Table): string {
  const others = table.base.items().filter(({ sk }) => sk !== 'token')
  const texts = others.map((item) => textOf(item, table))
  return [days.left, days.lostAt, ...days.ended, table.deletes.until, ...texts].join()
}
