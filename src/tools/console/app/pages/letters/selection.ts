import { isCuredByRedrive } from '../../../../operator/item/advice.ts'
import { type Query, valueOf, valuesOf } from '../../address.ts'

/** Parameters of the page that select dead letters. They are those of the routes, and fields of the changes. */
const NAMES = ['queue', 'group', 'id', 'reason', 'match', 'olderThan'] as const

export function selectionIn(query: Query): Query {
  return Object.fromEntries(NAMES.map((name) => [name, query[name]]))
}

export function lettersViewIn(query: Query): 'groups' | 'list' | 'letter' | 'edit' | 'values' {
  if (valueOf(query['per']) !== '') return 'values'
  if (valueOf(query['letter']) !== '') return valueOf(query['edit']) === '' ? 'letter' : 'edit'
  return ['group', 'id', 'list'].some((name) => valueOf(query[name]) !== '') ? 'list' : 'groups'
}

export function chosenIn(query: Query): ReadonlySet<string> {
  return new Set(valuesOf(query['chosen']))
}

/** What a redrive alone does not cure, as the command line says it. undefined: it cures them all. */
export function refusedAgain(reasons: readonly string[]): string | undefined {
  const refused = [...new Set(reasons)].filter((reason) => !isCuredByRedrive(reason))
  return refused.length === 0
    ? undefined
    : `A redrive alone does not cure what is ${refused.join(', ')}`
}

export function toggled(chosen: ReadonlySet<string>, id: string): readonly string[] {
  return chosen.has(id) ? [...chosen].filter((each) => each !== id) : [...chosen, id]
}

/** What a change is given: exactly the chosen ones, or all that the URL selects. */
export function givenOf(
  query: Query,
  chosen: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const queue = valueOf(query['queue'])
  const where = queue === '' ? { all: true } : { queue }
  if (chosen.size > 0) return { ...where, id: [...chosen] }
  const rest = NAMES.filter((name) => name !== 'queue').flatMap((name) => {
    const values = valuesOf(query[name])
    return values.length === 0 ? [] : [[name, name === 'id' ? values : values[0]] as const]
  })
  return { ...where, ...Object.fromEntries(rest) }
}
