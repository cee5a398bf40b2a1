import { nameOf, readOperand, type Scope } from './condition.ts'
import type { Attribute, Item } from './item.ts'
import { openCursor, unreadable } from './tokens.ts'

/** What an update makes of an item. */
export type Change = (scope: Scope) => Item
type Step = (item: Record<string, Attribute>, scope: Scope) => void

/** An UpdateExpression, or the SET and REMOVE clauses of a PartiQL statement: in both, lists by comma or by repetition. */
export function compileChange(text: string): Change {
  const cursor = openCursor(text)
  const steps: Step[] = []
  while (cursor.peek() !== '') {
    const readStep = cursor.takeIf('SET') ? readSet : readRemove
    if (readStep === readRemove) cursor.expect('REMOVE')
    do steps.push(readStep(cursor))
    while (cursor.takeIf(','))
  }
  return (scope) => {
    const item = { ...scope.item }
    for (const step of steps) step(item, scope)
    return item
  }
}

function readSet(cursor: ReturnType<typeof openCursor>): Step {
  const target = cursor.take()
  cursor.expect('=')
  const read = readOperand(cursor)
  return (item, scope) => {
    const value = read(scope)
    if (value === undefined) throw unreadable(cursor, `a value for ${target}`)
    item[nameOf(target, scope)] = value
  }
}

function readRemove(cursor: ReturnType<typeof openCursor>): Step {
  const target = cursor.take()
  return (item, scope) => {
    delete item[nameOf(target, scope)]
  }
}
