import type { Bound, Expression } from './syntax.ts'
import { textOf } from './values.ts'

/** An expression in one line, as a module has it. */
export function textOfExpression(of: Expression): string {
  const text = textOfExpression
  const list = (parts: readonly Expression[], between: string): string =>
    parts.map(text).join(between)
  const bound = ({ name, from }: Bound): string => String.raw`${name} \in ${text(from)}`
  switch (of.is) {
    case 'literal':
      return typeof of.value === 'boolean'
        ? String(of.value).toUpperCase()
        : JSON.stringify(of.value)
    case 'given':
      return textOf(of.value)
    case 'name':
      return of.given.length === 0 ? of.name : `${of.name}(${list(of.given, ', ')})`
    case 'primed':
      return `${of.name}'`
    case 'unchanged':
      return `UNCHANGED <<${of.names.join(', ')}>>`
    case 'tuple':
      return `<<${of.names.join(', ')}>>`
    case 'all':
      return `(${list(of.parts, ' /\\ ')})`
    case 'any':
      return `(${list(of.parts, String.raw` \/ `)})`
    case 'not':
      return `~${text(of.of)}`
    case 'set':
      return `{${list(of.members, ', ')}}`
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
      return of.key.is === 'literal' && typeof of.key.value === 'string'
        ? `${text(of.of)}.${of.key.value}`
        : `${text(of.of)}[${text(of.key)}]`
    case 'except':
      return `[${text(of.of)} EXCEPT …]`
    case 'before':
      return '@'
    case 'cases':
      return `IF ${of.cases.map(({ when }) => text(when)).join(' or ')} …`
    case 'let':
      return text(of.in)
    default:
      return `${text(of.left)} ${of.is} ${text(of.right)}`
  }
}
