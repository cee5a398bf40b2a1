import { ArnFormat, Stack, Tags, Token } from 'aws-cdk-lib'
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
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

const TABLE = 'lineclear:table'

/** The sweeper of the table may enable what has this tag: by name, so that the consumer may stand in any stack. */
export function tagMapping(mapping: Construct, tableName: string): void {
  Tags.of(mapping).add(TABLE, tableName)
}

/** @param actions on the mappings of the table, in this account and Region */
export function grantMappings(
  grantee: IGrantable,
  scope: Construct,
  tableName: string,
  actions: readonly string[],
): Grant {
  const mappings = Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'event-source-mapping',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
  return Grant.addToPrincipal({
    grantee,
    actions: [...actions],
    resourceArns: [mappings],
    conditions: { StringEquals: { [`aws:ResourceTag/${TABLE}`]: tableName } },
  })
}
