import type { Value } from './values.ts'

/** The part of TLA+ in which our modules are written. */
export type Expression =
  | { readonly is: 'literal'; readonly value: number | string | boolean }
  /** A value that a test has given. */
  | { readonly is: 'given'; readonly value: Value }
  | { readonly is: 'name'; readonly name: string; readonly given: readonly Expression[] }
  | { readonly is: 'primed'; readonly name: string }
  | { readonly is: 'unchanged'; readonly names: readonly string[] }
  | { readonly is: 'all' | 'any'; readonly parts: readonly Expression[] }
  | { readonly is: 'not'; readonly of: Expression }
  | Operation
  | { readonly is: 'set'; readonly members: readonly Expression[] }
  | { readonly is: 'mapped' | 'function'; readonly each: Bound; readonly to: Expression }
  | { readonly is: 'some' | 'every'; readonly each: Bound; readonly to: Expression }
  | { readonly is: 'record'; readonly fields: readonly (readonly [string, Expression])[] }
  | { readonly is: 'at'; readonly of: Expression; readonly key: Expression }
  | { readonly is: 'except'; readonly of: Expression; readonly changes: readonly Change[] }
  | { readonly is: 'before' }
  | { readonly is: 'cases'; readonly cases: readonly Case[]; readonly other?: Expression }
  | { readonly is: 'let'; readonly definitions: readonly Definition[]; readonly in: Expression }
  | { readonly is: 'tuple'; readonly names: readonly string[] }

export type Binary =
  | '=>'
  | '='
  | '#'
  | '<'
  | '>'
  | '<='
  | '>='
  | '\\in'
  | '\\notin'
  | '\\cup'
  | '\\'
  | '..'
  | '+'
  | '-'

/** Two operands. */
export interface Operation {
  readonly is: Binary
  readonly left: Expression
  readonly right: Expression
}

/** `x \in S` */
export interface Bound {
  readonly name: string
  readonly from: Expression
}

/** `!.field = e`, `![key] = e` */
export interface Change {
  readonly path: readonly Expression[]
  readonly to: Expression
}

export interface Case {
  readonly when: Expression
  readonly gives: Expression
}

export interface Definition {
  readonly name: string
  readonly parameters: readonly string[]
  readonly body: Expression
}

export interface Module {
  readonly constants: readonly string[]
  readonly variables: readonly string[]
  readonly definitions: readonly Definition[]
}
