/** An expression of HCL, such as a reference. */
export interface Expression {
  readonly hcl: string
}

/** A value of an argument. */
export type HclValue =
  | string
  | number
  | boolean
  | Expression
  | readonly HclValue[]
  | { readonly [name: string]: HclValue | undefined }

export interface HclBlock {
  readonly type: string
  readonly name: string
  readonly arguments: Readonly<Record<string, HclValue | undefined>>
  /** Nested blocks; an argument and a block of the same form are different things in HCL. */
  readonly blocks?: readonly (readonly [
    name: string,
    block: Readonly<Record<string, HclValue | undefined>>,
  ])[]
}

/** Lines of a resource. */
export function hclLines({ type, name, arguments: given, blocks = [] }: HclBlock): string[] {
  return [
    `resource ${JSON.stringify(type)} ${JSON.stringify(name)} {`,
    ...argumentLines(given, '  '),
    ...blocks.flatMap(([block, of]) => [`  ${block} {`, ...argumentLines(of, '    '), '  }']),
    '}',
  ]
}

function argumentLines(
  given: Readonly<Record<string, HclValue | undefined>>,
  indent: string,
): string[] {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${indent}${name.padEnd(width)} = ${hclText(value ?? '')}`)
}

export function hclText(value: HclValue): string {
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(hclText).join(', ')}]`
  if (isExpression(value)) return value.hcl
  const members = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(
      ([name, each]) =>
        `${/^\w+$/.test(name) ? name : JSON.stringify(name)} = ${hclText(each ?? '')}`,
    )
  return `{ ${members.join(', ')} }`
}

function isExpression(value: object): value is Expression {
  return 'hcl' in value
}
