import { isSeconds } from '../../../base/time.ts'
import type { UserValue } from '../../../protocol/store/store.ts'
import { checkValue, type Fields, type Refuse, toFields } from './checkValue.ts'
import type { Guard, Guards } from './guard.ts'

const EXAMPLES = "exists(), atLeast('available', 2) or newerThan('updatedAt', ctx.sentAt)"
const KINDS = ['newerThan', 'unchanged', 'exists', 'absent', 'equals', 'atLeast', 'atMost', 'anyOf']

/** Refuses invalid guards, which would let the write happen unguarded. */
export function checkGuards(given: unknown, refuse: Refuse, path: string): Guards {
  return Array.isArray(given) ? checkList(given, refuse, path) : checkGuard(given, refuse, path)
}

function checkList(given: unknown, refuse: Refuse, path: string): readonly Guard[] {
  if (!Array.isArray(given) || given.length === 0) throw refuse(path, 'at least one guard', given)
  return given.map((each) => checkGuard(each, refuse, path))
}

function checkGuard(given: unknown, refuse: Refuse, path: string): Guard {
  const guard = toFields(given)
  const kind = guard?.['kind']
  if (guard === undefined || typeof kind !== 'string' || !KINDS.includes(kind)) {
    throw refuse(path, `a guard, such as ${EXAMPLES}`, given)
  }
  if (kind === 'anyOf') checkAlternatives(guard['guards'], refuse, `${path}: anyOf`)
  else checkOne(kind, guard, refuse, `${path}: ${kind}`)
  // All parts of the guard were checked above.
  return given as Guard
}

function checkAlternatives(parts: unknown, refuse: Refuse, where: string): void {
  const writing = checkList(parts, refuse, where).find(({ kind }) => kind === 'newerThan')
  if (writing === undefined) return
  throw refuse(where, 'guards other than newerThan; put newerThan beside it in a list', writing)
}

function checkOne(kind: string, guard: Fields, refuse: Refuse, path: string): void {
  const { field, value } = guard
  const whole = (kind === 'exists' || kind === 'absent') && field === undefined
  if (!whole && (typeof field !== 'string' || field === '')) {
    throw refuse(path, 'the name of an attribute', field)
  }
  const where = `${path}('${String(field).slice(0, 80)}')`
  const at = guard['at']
  // @protects seconds beside milliseconds do not make every later request stale
  // @without typeof at !== 'number'
  if (kind === 'newerThan' && (typeof at !== 'number' || isSeconds(at))) {
    throw refuse(where, 'a time in epoch milliseconds (not seconds), such as ctx.sentAt', at)
  }
  if (kind === 'equals') checkValue(value, refuse, where)
  if (kind === 'unchanged' && value !== undefined) checkValue(value, refuse, where)
  if (kind === 'atLeast' || kind === 'atMost')
    checkOrdered(checkValue(value, refuse, where), refuse, where)
}

function checkOrdered(value: UserValue, refuse: Refuse, where: string): void {
  const ordered =
    value instanceof Uint8Array || ['string', 'number', 'bigint'].includes(typeof value)
  if (!ordered) throw refuse(where, 'a number, a text or bytes', value)
}
