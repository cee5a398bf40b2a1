import type { DeployedMapping, FunctionMarks } from '../deployment.ts'
import {
  asList,
  asValues,
  logicalId,
  own,
  type Template,
  textOfValue,
  type Values,
} from './resolve.ts'

const VARIABLE = 'LINECLEAR_TABLE'

export function readFunctionMarks(
  template: Template,
  { Environment, Tags }: Values,
): FunctionMarks {
  const { Variables } = asValues(Environment)
  const variables = asValues(Variables)
  const table = own(variables, VARIABLE)
  const others = Object.entries(variables).filter(([name]) => name !== VARIABLE)
  const isTagged = tagsOf(Tags).some(([key]) => key.startsWith('lineclear:'))
  const isUnread = [Environment, Variables, Tags].some(isLater)
  return {
    ...(isTagged && { tagged: true }),
    ...(table !== undefined && { table: idOfTable(template, table) }),
    variables: others.flatMap(([, value]) =>
      asList(value).map((each) => idOfTable(template, each)),
    ),
    ...(isUnread && { unread: true }),
  }
}

/** The tag of a mapping by which the sweeper finds what it may enable. */
export function tableOfTags(template: Template, tags: unknown): Pick<DeployedMapping, 'table'> {
  const found = tagsOf(tags).find(([key]) => key === 'lineclear:table')
  return found === undefined ? {} : { table: idOfTable(template, found[1]) }
}

function idOfTable(template: Template, value: unknown): string {
  return logicalId(template, value, 'dynamodb')
}

/** CloudFormation takes a list, SAM and Terraform an object. */
function tagsOf(tags: unknown): readonly (readonly [key: string, value: unknown])[] {
  if (!Array.isArray(tags)) return Object.entries(asValues(tags))
  return tags.map(asValues).map(({ Key, Value }) => [textOfValue(Key), Value])
}

/** Whether it, or a part of it, is known only when it is deployed. */
function isLater(value: unknown): boolean {
  if (typeof value === 'string') return true
  const names = Array.isArray(value)
    ? tagsOf(value).map(([key]) => key)
    : Object.keys(asValues(value))
  return names.some((name) => name === '' || name.includes('${') || name.startsWith('Fn::'))
}
