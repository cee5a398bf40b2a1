import type { IConstruct } from 'constructs'
import { ConfigError } from '../../base/errors.ts'

/** One line: the construct and its path, the property, what was expected, what was given, and the cure. */
export function refuse(
  { constructor: { name }, node: { path } }: IConstruct,
  property: string,
  words: string,
): never {
  throw new ConfigError(`${name} '${path}': ${property}: ${words}. Nothing was synthesised.`)
}

/** Properties that a construct sets by itself: in the properties that are passed on they would be overwritten in silence. */
export function refuseOwn(
  scope: IConstruct,
  property: string,
  given: object | undefined,
  own: Readonly<Record<string, string>>,
): void {
  for (const [name, instead] of Object.entries(own)) {
    if (given !== undefined && name in given) {
      refuse(
        scope,
        `${property}.${name}`,
        `expected nothing, because the construct sets it; got a value: use ${instead}`,
      )
    }
  }
}
