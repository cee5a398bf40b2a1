import type { WireItem, WireValue } from '../../../../../base/limits/wireValue.ts'
import { checkOverlap, readPath, type Resolved, resolve } from './path.ts'
import { readList, type Scope, type Source } from './source.ts'

/** The paths of a ProjectionExpression. */
export type Projection = (scope: Pick<Scope, 'names'>) => readonly Resolved[]

export function readProjection(source: Source): Projection {
  const paths = readList(source, readPath)
  const projection: Projection = (scope) => paths.map((path) => resolve(path, scope))
  source.checks.push((scope) => checkOverlap(source, projection(scope)))
  return projection
}

/** A part of an item: these paths, as far as they are there. */
export function project(item: WireItem, paths: readonly Resolved[]): WireItem {
  return select({ M: item }, paths)?.M ?? {}
}

function select(value: WireValue, paths: readonly Resolved[]): WireValue | undefined {
  if (paths.some((path) => path.length === 0)) return value
  const inside = (step: string | number, one: WireValue): WireValue | undefined => {
    const rest = paths.filter(([first]) => first === step).map((path) => path.slice(1))
    return rest.length === 0 ? undefined : select(one, rest)
  }
  if (value.L !== undefined) {
    const list = value.L.map((one, at) => inside(at, one)).filter((one) => one !== undefined)
    return list.length === 0 ? undefined : { L: list }
  }
  const found = Object.entries(value.M ?? {}).flatMap(([name, one]) => {
    const part = inside(name, one)
    return part === undefined ? [] : [[name, part] as const]
  })
  return found.length === 0 ? undefined : { M: Object.fromEntries(found) }
}
