import type { Bound, Case, Change, Definition, Expression } from './syntax.ts'
import { textOf } from './values.ts'

/** An expression in one line, as TLC reads it. What binds weaker than a call has parentheses. */
export function textOfExpression(of: Expression): string {
  const text = textOfExpression
  switch (of.is) {
    case 'literal':
      return typeof of.value === 'boolean'
        ? String(of.value).toUpperCase()
        : JSON.stringify(of.value)
    case 'given':
      return textOf(of.value)
    case 'name':
      return of.given.length === 0 ? of.name : `${of.name}(${of.given.map(text).join(', ')})`
    case 'primed':
      return `${of.name}'`
    case 'unchanged':
      return `UNCHANGED <<${of.names.join(', ')}>>`
    case 'tuple':
      return `<<${of.names.join(', ')}>>`
    case 'all':
      return of.parts.length === 0 ? 'TRUE' : `(${of.parts.map(part).join(' /\\ ')})`
    case 'any':
      return of.parts.length === 0 ? 'FALSE' : `(${of.parts.map(part).join(String.raw` \/ `)})`
    case 'not':
      return `~${operand(of.of)}`
    case 'set':
      return `{${of.members.map(text).join(', ')}}`
    case 'mapped':
      return `{${text(of.to)} : ${bound(of.each)}}`
    case 'function':
      return `[${bound(of.each)} |-> ${text(of.to)}]`
    case 'some':
      return String.raw`\E ${bound(of.each)} : ${text(of.to)}`
    case 'every':
      return String.raw`\A ${bound(of.each)} : ${text(of.to)}`
    case 'record':
      return `[${of.fields.map(([name, to]) => `${name} |-> ${text(to)}`).join(', ')}]`
    case 'at':
      return operand(of.of) + keyOf(of.key)
    case 'except':
      return `[${text(of.of)} EXCEPT ${of.changes.map(change).join(', ')}]`
    case 'before':
      return '@'
    case 'cases':
      return cases(of.cases, of.other)
    case 'let':
      return `LET ${of.definitions.map(textOfDefinition).join(' ')} IN ${text(of.in)}`
    default:
      return `${operand(of.left)} ${of.is} ${operand(of.right)}`
  }
}

export function textOfDefinition({ name, parameters, body }: Definition): string {
  const given = parameters.length === 0 ? '' : `(${parameters.join(', ')})`
  return `${name}${given} == ${textOfExpression(body)}`
}

/** What binds stronger than any operator. */
const CLOSED: ReadonlySet<Expression['is']> = new Set([
  'literal',
  'given',
  'name',
  'primed',
  'tuple',
  'all',
  'any',
  'set',
  'mapped',
  'function',
  'record',
  'at',
  'except',
  'before',
])

/** What takes all that stands to its right. */
const OPEN: ReadonlySet<Expression['is']> = new Set(['some', 'every', '=>', 'cases', 'let'])

function part(of: Expression): string {
  return OPEN.has(of.is) ? `(${textOfExpression(of)})` : textOfExpression(of)
}

function operand(of: Expression): string {
  const text = textOfExpression(of)
  return CLOSED.has(of.is) ? text : `(${text})`
}

function bound({ name, from }: Bound): string {
  return String.raw`${name} \in ${operand(from)}`
}

function keyOf(key: Expression): string {
  return key.is === 'literal' && typeof key.value === 'string'
    ? `.${key.value}`
    : `[${textOfExpression(key)}]`
}

function change({ path, to }: Change): string {
  return `!${path.map(keyOf).join('')} = ${textOfExpression(to)}`
}

function cases(all: readonly Case[], other: Expression | undefined): string {
  const text = textOfExpression
  const [first] = all
  if (first !== undefined && all.length === 1 && other !== undefined)
    return `IF ${text(first.when)} THEN ${text(first.gives)} ELSE ${text(other)}`
  const each = all.map(({ when, gives }) => `${operand(when)} -> ${operand(gives)}`)
  return `CASE ${[...each, ...(other === undefined ? [] : [`OTHER -> ${operand(other)}`])].join(' [] ')}`
}
