import { Tags, Token } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { refuse } from './refuse.ts'

/** By which operators find consumers. A tag value takes no comma: dependencies stand beside each other, with spaces. */
interface ConsumerTags {
  readonly consumer?: string
  readonly flow?: string
  readonly stage?: string
  readonly dependencies?: readonly string[] | undefined
}

/** The least that AWS accepts as a tag value, and no space: it separates dependencies. */
const NAME = /^[\w.:/=+@-]{1,128}$/

/** @param others that stand outside of `scope`, such as a function that was handed in */
export function tag(scope: Construct, tags: ConsumerTags, ...others: readonly Construct[]): void {
  const { dependencies = [], ...rest } = tags
  const values = { ...rest, ...(dependencies.length > 0 && { dependency: dependencies.join(' ') }) }
  for (const name of dependencies) {
    if (!Token.isUnresolved(name) && !NAME.test(name)) {
      refuse(
        scope,
        'dependencies',
        `expected names of 1 to 128 letters, digits and . _ : / = + @ -; got ${JSON.stringify(name)}`,
      )
    }
  }
  for (const [key, value] of Object.entries(values)) {
    for (const each of [scope, ...others]) Tags.of(each).add(`lineclear:${key}`, value)
  }
}
