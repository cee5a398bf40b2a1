import type { DeployedFunction, DeployedMapping, DeployedTable, Deployment } from '../deployment.ts'
import { mappedFunctions, mayRunLineclear, roleOf } from './mappedQueues.ts'

/** Whether a function uses Lineclear. Old and new consumers live side by side, and some rules are for those of Lineclear only. */
export type Ownership = 'lineclear' | 'other' | 'not known'

export function ownershipOf(deployment: Deployment, of: DeployedFunction): Ownership {
  if (!mayRunLineclear(of.runtime)) return 'other'
  // The user has named the queues of an account that Lineclear consumes.
  if (deployment.from === 'account') return 'lineclear'
  if (isMarked(deployment, of) || ofOwnRole(deployment, of) !== undefined) return 'lineclear'
  return of.marks.unread === true ? 'not known' : 'other'
}

/** The consumers of queues that use Lineclear. */
export function consumers(deployment: Deployment): readonly DeployedFunction[] {
  return mappedFunctions(deployment).filter((each) => usesLineclear(deployment, each))
}

export function usesLineclear(deployment: Deployment, of: DeployedFunction): boolean {
  return ownershipOf(deployment, of) === 'lineclear'
}

/** The ownership of the function that a mapping calls. A function of another template may be one of Lineclear's. */
export function calledBy(deployment: Deployment, { function: name }: DeployedMapping): Ownership {
  const called = deployment.functions.find(({ id }) => id === name)
  return called === undefined ? 'lineclear' : ownershipOf(deployment, called)
}

function isMarked(deployment: Deployment, of: DeployedFunction): boolean {
  return of.marks.tagged === true || namedTables(deployment, of).length > 0
}

/** What its variables and the tags of its mappings name, its own variable first; a text where the table is not here. */
function namedTables(
  { tables, mappings }: Deployment,
  { id, marks }: DeployedFunction,
): readonly string[] {
  const own = marks.table === undefined ? [] : [marks.table]
  const tagged = mappings.flatMap((each) =>
    each.function === id && each.table !== undefined ? [each.table] : [],
  )
  const others = marks.variables.filter((each) => tables.some((table) => table.id === each))
  return [...own, ...tagged, ...others]
}

/** The table that its role names, unless the role is also that of a function with a mark, whose table it then is. */
function ofOwnRole(deployment: Deployment, of: DeployedFunction): DeployedTable | undefined {
  const role = roleOf(deployment, of)
  if (role === undefined) return undefined
  const users = deployment.functions.filter((each) => each.role === role.id)
  if (users.some((each) => each !== of && isMarked(deployment, each))) return undefined
  const named = role.statements
    .filter(({ effect }) => effect === 'Allow')
    .flatMap(({ resources }) => resources.map((each) => each.split('/index/')[0]))
  return deployment.tables.find(({ id }) => named.includes(id))
}

/**
 * The table that a function of Lineclear works with: that of its variable or its mapping, that of its role, or that of its stack.
 * undefined: it is in no template, or more than one may be it.
 */
export function ownTable(deployment: Deployment, of: DeployedFunction): DeployedTable | undefined {
  const { tables } = deployment
  const [named] = namedTables(deployment, of)
  const found = tables.find(({ id }) => id === named)
  if (found !== undefined) return found
  if (named !== undefined && !named.includes('${')) return undefined
  return ofOwnRole(deployment, of) ?? nearest(of.id, tables)
}

/** The only table, or the one whose stack or module shares more of its name than that of any other. */
function nearest(id: string, tables: readonly DeployedTable[]): DeployedTable | undefined {
  const [first, second] = tables
    .map((table) => ({ table, shared: sharedParts(id, table.id) }))
    .toSorted((a, b) => b.shared - a.shared)
  if (first === undefined || second === undefined) return first?.table
  return first.shared > second.shared ? first.table : undefined
}

function sharedParts(one: string, other: string): number {
  const parts = other.split('.')
  const differs = one.split('.').findIndex((part, at) => part !== parts[at])
  return differs < 0 ? parts.length : differs
}
