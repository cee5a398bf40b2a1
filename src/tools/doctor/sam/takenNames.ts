import type { TakenName } from '../deployment.ts'
import type { SourceTemplate } from '../template/stack.ts'
import { asValues, own, textOf } from '../template/values.ts'
import { expandResource } from './expandSam.ts'

/** Logical ids of the template, and of those nested in it, that the transform gives to what it makes. */
export function takenNames({ name: source, body, nested = {} }: SourceTemplate): TakenName[] {
  const prefix = source === '' ? '' : `${source}.`
  const resources = asValues(asValues(body)['Resources'])
  const globals = asValues(asValues(body)['Globals'])
  const taken = Object.entries(resources).flatMap(([id, value]) => {
    const made = Object.entries(expandResource(id, asValues(value), globals) ?? {})
    return made
      .filter(([name]) => name !== id && own(resources, name) !== undefined)
      .map(([name, { Type }]) => ({
        id: `${prefix}${name}`,
        type: textOf(asValues(resources[name])['Type']),
        maker: makerOf(
          id,
          name,
          Object.keys(asValues(asValues(asValues(value)['Properties'])['Events'])),
        ),
        madeType: textOf(Type),
      }))
  })
  return [...taken, ...Object.values(nested).flatMap(takenNames)]
}

/** What an event makes has a name that begins with the function's and its own. */
function makerOf(id: string, made: string, events: readonly string[]): string {
  const event = events
    .filter((each) => made.startsWith(`${id}${each}`))
    .toSorted((one, other) => other.length - one.length)[0]
  return event === undefined ? id : `the event ${event} of ${id}`
}
