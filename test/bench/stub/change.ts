import { nameOf, type Read, readOperand, type Scope } from './condition.ts'
import type { Attribute, Item } from './item.ts'
import { type Cursor, openCursor, unreadable } from './tokens.ts'

/** What a write makes of an item; undefined: it is deleted. */
export type Change = (scope: Scope) => Item | undefined
type Step = (item: Record<string, Attribute>, scope: Scope) => void

/** An UpdateExpression, or the SET and REMOVE clauses of a PartiQL statement: in both, lists by comma or by repetition. */
export function compileChange(text: string): Change {
  const cursor = openCursor(text)
  const steps: Step[] = []
  while (cursor.peek() !== '') {
    const readStep = CLAUSES[cursor.take().toUpperCase()]
    if (readStep === undefined) throw unreadable(cursor, 'SET, ADD or REMOVE before')
    do steps.push(readStep(cursor))
    while (cursor.takeIf(','))
  }
  return (scope) => {
    const item = { ...scope.item }
    for (const step of steps) step(item, scope)
    return item
  }
}

const CLAUSES: Readonly<Record<string, (cursor: Cursor) => Step>> = {
  SET: readSet,
  ADD: readAdd,
  REMOVE: readRemove,
}

function readSet(cursor: Cursor): Step {
  const target = cursor.take()
  cursor.expect('=')
  const read = cursor.takeIf('SET_ADD') ? readSetAdd(cursor) : readOperand(cursor)
  return (item, scope) => {
    const value = read(scope)
    if (value === undefined) throw unreadable(cursor, `a value for ${target}`)
    item[nameOf(target, scope)] = value
  }
}

function readSetAdd(cursor: Cursor): Read {
  cursor.expect('(')
  const before = readOperand(cursor)
  cursor.expect(',')
  const more = readOperand(cursor)
  cursor.expect(')')
  return (scope) => sumOf(before(scope), more(scope))
}

function readAdd(cursor: Cursor): Step {
  const target = cursor.take()
  const more = readOperand(cursor)
  return (item, scope) => {
    const name = nameOf(target, scope)
    item[name] = sumOf(item[name], more(scope))
  }
}

function readRemove(cursor: Cursor): Step {
  const target = cursor.take()
  return (item, scope) => {
    delete item[nameOf(target, scope)]
  }
}

/** Of two numbers, or of two sets of texts. */
function sumOf(before: Attribute | undefined, more: Attribute | undefined): Attribute {
  if (more?.N !== undefined) return { N: String(Number(before?.N ?? 0) + Number(more.N)) }
  return { SS: [...new Set([...(before?.SS ?? []), ...(more?.SS ?? [])])] }
}
