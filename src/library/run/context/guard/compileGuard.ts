import { TerminalError } from '../../../base/errors.ts'
import { holds } from '../../../protocol/store/condition.ts'
import type {
  RawWrite,
  UserCondition,
  UserItem,
  UserKey,
  UserWrite,
} from '../../../protocol/store/store.ts'
import { type Guard, guardsIn, type StateGuard } from './guard.ts'
import type { CheckedWrite } from './checkWrite.ts'
import type { NotApplied } from './write.ts'

/** How far a sender's clock may be ahead of this one, milliseconds. */
const MAX_AHEAD_MS = 5 * 60_000

interface Requester {
  readonly uniqueRequestId: string
  readonly now: number
}

interface Check {
  readonly guard: Guard
  readonly condition: UserCondition
  readonly reason: NotApplied['reason']
  /** Attributes that the guard itself writes to the item. */
  readonly keeps: UserItem
}

/** A write with its guard as conditions, and the attributes that the next guard compares with. */
export function compileWrite(
  write: CheckedWrite | RawWrite,
  requester: Requester,
): UserWrite | RawWrite {
  if ('raw' in write) return write
  const { TableName, Key } = write
  const checks = checksOf(write, requester)
  const target = { TableName, Key, where: checks.map(({ condition }) => condition) }
  const kept: UserItem = Object.fromEntries(checks.flatMap(({ keeps }) => Object.entries(keeps)))
  switch (write.kind) {
    case 'put':
      return { ...target, put: { ...write.put, ...kept } }
    case 'delete':
      return { ...target, delete: true }
    case 'check':
      return target
    case 'update': {
      const { set, add, remove } = write
      return { ...target, set: { ...set, ...kept }, ...(add && { add }), ...(remove && { remove }) }
    }
  }
}

/** Finds the guard that refused the write, from the item that refused it. */
export function whyRefused(
  write: CheckedWrite | RawWrite,
  requester: Requester,
  item: UserItem | undefined,
): Pick<NotApplied, 'reason' | 'guard'> {
  if ('raw' in write) return { reason: 'unmet', guard: undefined }
  const checks = checksOf(write, requester)
  const failed = checks.find(({ condition }) => !holds(condition, item))
  return { reason: failed?.reason ?? 'changed', guard: failed?.guard }
}

function checksOf(write: CheckedWrite, requester: Requester): Check[] {
  return guardsIn(write.guard).map((guard) => compileGuard(guard, write, requester))
}

function compileGuard(guard: Guard, target: UserKey, requester: Requester): Check {
  if (guard.kind === 'newerThan') return newest(guard, guard.field, guard.at, requester)
  const reason = guard.kind === 'unchanged' ? 'changed' : 'unmet'
  return { guard, reason, keeps: {}, condition: conditionOf(guard, target) }
}

function conditionOf(guard: StateGuard, target: UserKey): UserCondition {
  switch (guard.kind) {
    case 'unchanged':
      return guard.value === undefined
        ? { absent: guard.field }
        : { field: guard.field, is: '=', value: guard.value }
    case 'exists':
      return { exists: guard.field ?? ofKey(target) }
    case 'absent':
      return { absent: guard.field ?? ofKey(target) }
    case 'equals':
      return { field: guard.field, is: '=', value: guard.value }
    case 'atLeast':
      return { field: guard.field, is: '>=', value: guard.value }
    case 'atMost':
      return { field: guard.field, is: '<=', value: guard.value }
    case 'anyOf':
      return { any: guard.guards.map((each) => conditionOf(each, target)) }
  }
}

/** Every item has its key attributes, so the item exists if and only if this attribute does. */
function ofKey({ Key }: UserKey): string {
  return Object.keys(Key)[0] ?? ''
}

/** A version is (time, id). The write happens if the stored version is older, or has the same time and the same or a smaller id. */
function newest(guard: Guard, field: string, at: number, requester: Requester): Check {
  if (
    !Number.isFinite(at) ||
    // @protects a clock that is ahead does not shut out later requests
    at > requester.now + MAX_AHEAD_MS
  ) {
    throw new TerminalError(
      `newerThan('${field}'): the time ${at} is not a time, or lies more than 5 minutes ahead of this machine's clock; ` +
        `the record is dead-lettered, because writing it would shut out every later request. Mend the sender's clock.`,
    )
  }
  const by = `${field}_uniquerequestid`
  return {
    guard,
    reason: 'stale',
    keeps: { [field]: at, [by]: requester.uniqueRequestId },
    condition: {
      any: [
        { absent: field },
        // @protects newerThan refuses an older request
        // @without { exists: field }
        { field, is: '<', value: at },
        {
          all: [
            { field, is: '=', value: at },
            // @protects two requests of one millisecond are ordered
            { field: by, is: '<=', value: requester.uniqueRequestId },
          ],
        },
      ],
    },
  }
}
