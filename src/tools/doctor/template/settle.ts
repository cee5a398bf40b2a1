import type { Stack } from './stack.ts'
import { asList, asValues, own, textOfValue, type Values } from './resolve.ts'

/** Where an expression is computed. `depth` counts the stacks that it has gone through, which may form a circle. */
interface Scope extends Known {
  readonly stack: Stack
  readonly depth: number
}

/** What all expressions of a deployment share. */
interface Known {
  readonly exports: ReadonlyMap<string, Exported>
  /** What all expressions together may still use: values and characters. */
  readonly budget: { left: number }
}

interface Exported {
  readonly stack: Stack
  readonly value: unknown
}

const NO_VALUE = Symbol('AWS::NoValue')
const MOST_STACKS = 20
/** Values and characters. An expression that names another one twice doubles it, and a few lines of such would compute for ever. */
const BUDGET = 20_000_000

/** @throws Error when the budget is used up */
function spend({ budget }: Known, units: number): void {
  budget.left -= units
  if (budget.left < 0) throw new Error('its expressions are too large to be computed')
}

/**
 * Computes the functions of CloudFormation. References to resources become their ids; what is known only when it is deployed becomes
 * `${…}` with its name.
 * @throws Error when the expressions of the deployment are too large
 */
export function settle(stack: Stack, known: Known, value: unknown): unknown {
  const settled = compute({ ...known, stack, depth: 0 }, value)
  return settled === NO_VALUE ? undefined : settled
}

/** With the outputs that other stacks import, by the name of their export. */
export function knownOf(stacks: readonly Stack[]): Known {
  const budget = { left: BUDGET }
  const found = new Map<string, Exported>()
  for (const stack of stacks) {
    for (const output of Object.values(stack.outputs)) {
      const { Export, Value } = asValues(output)
      const name = asValues(Export)['Name']
      if (name === undefined) continue
      found.set(textOfValue(settle(stack, { exports: new Map(), budget }, name)), {
        stack,
        value: Value,
      })
    }
  }
  return { exports: found, budget }
}

function compute(scope: Scope, value: unknown): unknown {
  spend(scope, 1)
  if (Array.isArray(value)) {
    return value.map((each) => compute(scope, each)).filter((each) => each !== NO_VALUE)
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const [[name, of] = ['', undefined]] = entries
  const call = entries.length === 1 ? own(FUNCTIONS, name) : undefined
  if (typeof call === 'function') return counted(scope, (call as Call)(scope, of))
  return Object.fromEntries(
    entries
      .map(([key, each]) => [key, compute(scope, each)] as const)
      .filter(([, each]) => each !== NO_VALUE),
  )
}

function counted(scope: Scope, made: unknown): unknown {
  if (typeof made === 'string' || Array.isArray(made)) spend(scope, made.length)
  return made
}

type Call = (scope: Scope, of: unknown) => unknown

const FUNCTIONS: Readonly<Record<string, Call>> = {
  Ref: (scope, of) => referTo(scope, textOfValue(of)),
  'Fn::GetAtt': (scope, of) =>
    attribute(scope, Array.isArray(of) ? of.map(textOfValue).join('.') : textOfValue(of)),
  'Fn::Sub': substituted,
  'Fn::Join': (scope, of) => {
    const [separator, parts] = asList(of)
    const texts = asList(compute(scope, parts)).map(textOfValue)
    spend(scope, texts.length * textOfValue(separator).length)
    return texts.join(textOfValue(separator))
  },
  'Fn::Split': (scope, of) => {
    const [separator, text] = asList(of)
    return textOfValue(compute(scope, text)).split(textOfValue(separator))
  },
  'Fn::Select': (scope, of) => {
    const [at, list] = asList(of)
    const found = asList(compute(scope, list))
    // A part of the ARN of a resource, whose id has no parts, is that resource.
    return found[Number(textOfValue(compute(scope, at)))] ?? found.at(-1) ?? '${Select}'
  },
  'Fn::FindInMap': (scope, of) => {
    const [map, first, second] = asList(of).map((each) => textOfValue(compute(scope, each)))
    const row = asValues(own(asValues(own(scope.stack.mappings, map ?? '')), first ?? ''))
    return own(row, second ?? '') ?? `\${${map}.${first}.${second}}`
  },
  'Fn::If': (scope, of) => {
    const [condition, yes, no] = asList(of)
    const holds = isTrue(scope, { Condition: condition })
    if (holds === false) return compute(scope, no)
    const settled = compute(scope, yes)
    return holds === undefined && settled === NO_VALUE ? compute(scope, no) : settled
  },
  'Fn::ImportValue': (scope, of) => {
    const name = textOfValue(compute(scope, of))
    const found = scope.exports.get(name)
    if (found === undefined || scope.depth > MOST_STACKS) return `\${${name.replaceAll('${', '')}}`
    return compute({ ...scope, stack: found.stack, depth: scope.depth + 1 }, found.value)
  },
  'Fn::Base64': compute,
  'Fn::ToJsonString': (scope, of) => JSON.stringify(compute(scope, of)),
}

function referTo(scope: Scope, name: string): unknown {
  const { stack } = scope
  if (name === 'AWS::NoValue') return NO_VALUE
  if (name === 'AWS::Region') return stack.region ?? '${AWS::Region}'
  if (Object.hasOwn(stack.resources, name)) return `${stack.prefix}${name}`
  return parameter(scope, name)
}

function parameter(scope: Scope, name: string): unknown {
  const { stack, depth } = scope
  const { Default, Type } = asValues(own(stack.parameters, name))
  const unknown = `\${${name}}`
  const fromParent = depth > MOST_STACKS ? unknown : givenByParent(scope, name)
  const value = fromParent ?? own(stack.given, name)
  // The default of such a parameter is the name of the value.
  const found = value ?? (textOfValue(Type).startsWith('AWS::SSM::') ? undefined : Default)
  if (found === undefined) return unknown
  const isList = /^(CommaDelimitedList$|List<)/.test(textOfValue(Type)) && typeof found === 'string'
  return isList ? found.split(',').map((each) => each.trim()) : found
}

function givenByParent(scope: Scope, name: string): unknown {
  const { parent } = scope.stack
  if (parent === undefined) return undefined
  const given = parent.stack.resources[parent.as]?.Properties ?? {}
  const value = own(asValues(given['Parameters']), name)
  if (value === undefined) return undefined
  return compute({ ...scope, stack: parent.stack, depth: scope.depth + 1 }, value)
}

const WITHOUT_ATTRIBUTES = /^(Custom::|AWS::CloudFormation::CustomResource$)/

function attribute(scope: Scope, path: string): unknown {
  const { stack, depth } = scope
  const [name = '', kind, output = ''] = path.split('.')
  const resource = own(stack.resources, name) as { readonly Type: string } | undefined
  if (resource === undefined || WITHOUT_ATTRIBUTES.test(resource.Type)) return `\${${path}}`
  if (kind !== 'Outputs') return `${stack.prefix}${name}`
  const nested = own(stack.nested, name) as Stack | undefined
  const { Value } = asValues(own(nested?.outputs ?? {}, output))
  if (nested === undefined || Value === undefined || depth > MOST_STACKS) return `\${${path}}`
  return compute({ ...scope, stack: nested, depth: depth + 1 }, Value)
}

function substituted(scope: Scope, of: unknown): string {
  const [text, variables] = asList(of)
  const given = asValues(variables)
  const values = new Map<string, string>()
  return textOfValue(text).replaceAll(/\$\{([^{}]*)\}/g, (whole, name: string) => {
    const value = values.get(name) ?? valueIn(scope, given, name) ?? whole
    values.set(name, value)
    spend(scope, value.length)
    return value
  })
}

function valueIn(scope: Scope, given: Values, name: string): string | undefined {
  if (name.startsWith('!')) return `\${${name.slice(1)}}`
  if (Object.hasOwn(given, name)) return textOfValue(compute(scope, given[name]))
  if (name.startsWith('AWS::') && name !== 'AWS::Region') return undefined
  return textOfValue(name.includes('.') ? attribute(scope, name) : referTo(scope, name))
}

/** undefined: it depends on what is known only when it is deployed. */
export function conditionHolds(stack: Stack, known: Known, condition: string): boolean | undefined {
  return isTrue({ ...known, stack, depth: 0 }, { Condition: condition })
}

function isTrue(scope: Scope, expression: unknown): boolean | undefined {
  spend(scope, 1)
  const [[kind, of] = ['', undefined]] = Object.entries(asValues(expression))
  const inner = (): (boolean | undefined)[] => asList(of).map((each) => isTrue(scope, each))
  if (kind === 'Condition') {
    const found = own(scope.stack.conditions, textOfValue(of))
    if (found === undefined || scope.depth > MOST_STACKS) return undefined
    return isTrue({ ...scope, depth: scope.depth + 1 }, found)
  }
  if (kind === 'Fn::Equals')
    return equal(asList(of).map((each) => textOfValue(compute(scope, each))))
  if (kind === 'Fn::Not') {
    const [value] = inner()
    return value === undefined ? undefined : !value
  }
  if (kind === 'Fn::And') return all(inner())
  if (kind === 'Fn::Or') {
    const none = all(inner().map((each) => (each === undefined ? undefined : !each)))
    return none === undefined ? undefined : !none
  }
  return undefined
}

function equal([a = '', b = '']: readonly string[]): boolean | undefined {
  if (a === b) return true
  return a.includes('${') || b.includes('${') ? undefined : false
}

function all(values: readonly (boolean | undefined)[]): boolean | undefined {
  if (values.includes(false)) return false
  return values.includes(undefined) ? undefined : true
}
