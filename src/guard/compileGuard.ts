import { TerminalError } from '../errors.ts'
import { holds } from '../store/condition.ts'
import type { UserCondition, UserItem, UserWrite } from '../store/store.ts'
import type { Guard } from './guard.ts'
import type { Write } from './write.ts'

/** How far ahead of us a sender's clock may be, milliseconds. */
const MAX_AHEAD_MS = 5 * 60_000

export interface Requester {
  readonly uniqueRequestId: string
  readonly now: number
}

interface Check {
  readonly condition: UserCondition
  readonly reason: 'stale' | 'changed'
  /** Attributes the guard itself keeps on the item. */
  readonly keeps: UserItem
}

/** A write with its guard as conditions, and the attributes by which the next guard will judge. */
export function compileWrite(write: Write, requester: Requester): UserWrite {
  const checks = compileGuard(write.guard, requester)
  const target = {
    TableName: write.TableName,
    Key: write.Key,
    where: checks.map(({ condition }) => condition),
  }
  const kept: UserItem = Object.fromEntries(checks.flatMap(({ keeps }) => Object.entries(keeps)))
  if ('put' in write) return { ...target, put: { ...write.put, ...kept } }
  if ('delete' in write) return { ...target, delete: true }
  return {
    ...target,
    set: { ...('set' in write ? write.set : undefined), ...kept },
    ...('add' in write && write.add !== undefined ? { add: write.add } : {}),
    ...('remove' in write && write.remove !== undefined ? { remove: write.remove } : {}),
  }
}

/** Which guard refused, read from the item that did. */
export function whyRefused(
  write: Write,
  requester: Requester,
  item: UserItem | undefined,
): 'stale' | 'changed' {
  const failed = compileGuard(write.guard, requester).find(
    ({ condition }) => !holds(condition, item),
  )
  return failed?.reason ?? 'changed'
}

function compileGuard(guard: Guard | undefined, requester: Requester): Check[] {
  switch (guard?.kind) {
    case undefined:
      return []
    case 'allOf':
      return guard.guards.flatMap((each) => compileGuard(each, requester))
    case 'unchanged':
      return [
        {
          reason: 'changed',
          keeps: {},
          condition:
            guard.value === undefined
              ? { absent: guard.field }
              : { field: guard.field, is: '=', value: guard.value },
        },
      ]
    case 'newerThan':
      return [newest(guard.field, guard.at, requester)]
  }
}

/** Version = (time, id): older, or the same and mine or of a smaller id. */
function newest(field: string, at: number, requester: Requester): Check {
  if (!Number.isFinite(at) || at > requester.now + MAX_AHEAD_MS) {
    throw new TerminalError(
      `newerThan('${field}'): the time ${at} is not a time, or lies more than 5 minutes ahead of this machine's clock; ` +
        `the record is dead-lettered, because writing it would shut out every later request. Mend the sender's clock.`,
    )
  }
  const by = `${field}_uniquerequestid`
  return {
    reason: 'stale',
    keeps: { [field]: at, [by]: requester.uniqueRequestId },
    condition: {
      any: [
        { absent: field },
        { field, is: '<', value: at },
        {
          all: [
            { field, is: '=', value: at },
            { field: by, is: '<=', value: requester.uniqueRequestId },
          ],
        },
      ],
    },
  }
}
