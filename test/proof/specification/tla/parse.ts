import type { Binary, Bound, Change, Definition, Expression, Module } from './syntax.ts'
import { type Token, tokensOf } from './tokens.ts'

/** Below each other, from the weakest on. `=>` takes all to its right. */
const OPERATORS: readonly (readonly Binary[])[] = [
  ['=', '#', '<', '>', '<=', '>=', '\\in', '\\notin'],
  ['\\cup', '\\'],
  ['..'],
  ['+', '-'],
]

const END: Token = { text: '', column: -1 }

/** @throws Error for what is outside the part of TLA+ that `Expression` has */
export function parseModule(text: string): Module {
  return new Parser(tokensOf(text)).module()
}

class Parser {
  readonly #tokens: readonly Token[]
  #next = 0
  /** A token to the left of an open list, or below its bullets, is outside it. */
  #margin = -1

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  module(): Module {
    const lists: Record<string, readonly string[]> = {}
    while (!this.#isDefinition()) {
      const [heading] = this.#take()
      lists[heading] = this.#names()
    }
    const definitions: Definition[] = []
    // The specification itself is what `explore` does.
    while (this.#peek().text !== 'Spec') definitions.push(this.#definition())
    while (this.#peek() !== END && this.#peek().text !== ']') this.#take()
    this.#take(']')
    this.#take()
    while (this.#peek() !== END) definitions.push(this.#definition())
    return { constants: lists['CONSTANTS'] ?? [], variables: lists['VARIABLES'] ?? [], definitions }
  }

  #peek(ahead = 0): Token {
    const token = this.#tokens[this.#next + ahead]
    return token === undefined || token.column <= this.#margin ? END : token
  }

  #take(expected?: string): [string] {
    const { text } = this.#peek()
    if (text === '' || (expected !== undefined && text !== expected)) {
      const near = this.#tokens.slice(this.#next - 8, this.#next + 4).map((each) => each.text)
      throw new Error(`expected ${expected ?? 'more'}, near ${near.join(' ')}`)
    }
    this.#next += 1
    return [text]
  }

  #skip(text: string): boolean {
    if (this.#peek().text !== text) return false
    this.#next += 1
    return true
  }

  #isDefinition(): boolean {
    return this.#peek(1).text === '==' || (this.#peek(1).text === '(' && this.#isOperator())
  }

  #isOperator(): boolean {
    let ahead = 2
    while (/^[\w,]+$/.test(this.#peek(ahead).text)) ahead += 1
    return this.#peek(ahead).text === ')' && this.#peek(ahead + 1).text === '=='
  }

  /** Names with commas between them. */
  #names(): string[] {
    const names = this.#take()
    while (this.#skip(',')) names.push(...this.#take())
    return names
  }

  #definition(): Definition {
    const [name] = this.#take()
    const parameters = this.#skip('(') ? this.#names() : []
    if (parameters.length > 0) this.#take(')')
    this.#take('==')
    return { name, parameters, body: this.#expression() }
  }

  #expression(): Expression {
    const left = this.#joined()
    return this.#skip('=>') ? { is: '=>', left, right: this.#expression() } : left
  }

  /** A list of `/\` or `\/`, or both in one line with parentheses. */
  #joined(): Expression {
    const bullet = this.#peek()
    if (bullet.text === '/\\' || bullet.text === '\\/') return this.#list(bullet)
    const first = this.#operation(0)
    const { text } = this.#peek()
    if (text !== '/\\' && text !== '\\/') return first
    const parts = [first]
    while (this.#skip(text)) parts.push(this.#operation(0))
    return { is: text === '/\\' ? 'all' : 'any', parts }
  }

  #list({ text, column }: Token): Expression {
    const parts: Expression[] = []
    while (this.#peek().text === text && this.#peek().column === column) {
      this.#take(text)
      const outer = this.#margin
      this.#margin = column
      parts.push(this.#expression())
      this.#margin = outer
    }
    return { is: text === '/\\' ? 'all' : 'any', parts }
  }

  #operation(level: number): Expression {
    const operators = OPERATORS[level]
    if (operators === undefined) return this.#unary()
    let left = this.#operation(level + 1)
    for (;;) {
      const operator = operators.find((each) => each === this.#peek().text)
      if (operator === undefined) return left
      this.#take(operator)
      left = { is: operator, left, right: this.#operation(level + 1) }
    }
  }

  #unary(): Expression {
    if (this.#skip('~')) return { is: 'not', of: this.#unary() }
    let of = this.#primary()
    for (;;) {
      if (this.#skip('.')) of = { is: 'at', of, key: literal(this.#take()[0]) }
      else if (this.#skip('[')) of = { is: 'at', of, key: this.#closed(']') }
      else if (this.#skip("'") && of.is === 'name') of = { is: 'primed', name: of.name }
      else return of
    }
  }

  #closed(end: string): Expression {
    const inner = this.#expression()
    this.#take(end)
    return inner
  }

  #primary(): Expression {
    const bullet = this.#peek()
    if (bullet.text === '/\\' || bullet.text === '\\/') return this.#list(bullet)
    const [text] = this.#take()
    switch (text) {
      case '(':
        return this.#closed(')')
      case '{':
        return this.#set()
      case '[':
        return this.#row()
      case '@':
        return { is: 'before' }
      case 'IF':
        return this.#if()
      case 'CASE':
        return this.#cases()
      case 'LET':
        return this.#let()
      case '\\E':
        return this.#quantified('some')
      case '\\A':
        return this.#quantified('every')
      case '<<':
        return { is: 'tuple', names: this.#tuple() }
      case 'UNCHANGED':
        return { is: 'unchanged', names: this.#skip('<<') ? this.#tuple() : this.#take() }
      default:
        return this.#word(text)
    }
  }

  #word(text: string): Expression {
    if (text.startsWith('"')) return literal(text.slice(1, -1))
    if (text === 'TRUE' || text === 'FALSE') return literal(text === 'TRUE')
    if (/^\d+$/.test(text)) return literal(Number(text))
    if (!/^\w+$/.test(text)) throw new Error(`${text} begins no expression`)
    return { is: 'name', name: text, given: this.#skip('(') ? this.#many(')') : [] }
  }

  #many(end: string): Expression[] {
    const all: Expression[] = []
    while (!this.#skip(end)) {
      all.push(this.#expression())
      this.#skip(',')
    }
    return all
  }

  #tuple(): string[] {
    const names = this.#names()
    this.#take('>>')
    return names
  }

  #set(): Expression {
    if (this.#skip('}')) return { is: 'set', members: [] }
    const first = this.#expression()
    if (!this.#skip(':')) {
      this.#skip(',')
      return { is: 'set', members: [first, ...this.#many('}')] }
    }
    const each = this.#bound()
    this.#take('}')
    return { is: 'mapped', each, to: first }
  }

  /** After `[`: a record, a function, or another one with changes. */
  #row(): Expression {
    if (this.#peek(1).text === '|->') return this.#record()
    if (this.#peek(1).text === '\\in') {
      const each = this.#bound()
      this.#take('|->')
      return { is: 'function', each, to: this.#closed(']') }
    }
    const of = this.#expression()
    this.#take('EXCEPT')
    const changes: Change[] = []
    do changes.push(this.#change())
    while (this.#skip(','))
    this.#take(']')
    return { is: 'except', of, changes }
  }

  #record(): Expression {
    const fields: (readonly [string, Expression])[] = []
    do {
      const [name] = this.#take()
      this.#take('|->')
      fields.push([name, this.#expression()])
    } while (this.#skip(','))
    this.#take(']')
    return { is: 'record', fields }
  }

  #change(): Change {
    this.#take('!')
    const path: Expression[] = []
    while (!this.#skip('=')) {
      path.push(this.#skip('.') ? literal(this.#take()[0]) : this.#key())
    }
    return { path, to: this.#expression() }
  }

  #key(): Expression {
    this.#take('[')
    return this.#closed(']')
  }

  #if(): Expression {
    const when = this.#expression()
    this.#take('THEN')
    const gives = this.#expression()
    this.#take('ELSE')
    return { is: 'cases', cases: [{ when, gives }], other: this.#expression() }
  }

  #cases(): Expression {
    const cases = []
    do {
      if (this.#skip('OTHER')) {
        this.#take('->')
        return { is: 'cases', cases, other: this.#expression() }
      }
      const when = this.#expression()
      this.#take('->')
      cases.push({ when, gives: this.#expression() })
    } while (this.#skip('[]'))
    return { is: 'cases', cases }
  }

  #let(): Expression {
    const definitions: Definition[] = []
    while (!this.#skip('IN')) definitions.push(this.#definition())
    return { is: 'let', definitions, in: this.#expression() }
  }

  #bound(): Bound {
    const [name] = this.#take()
    this.#take('\\in')
    return { name, from: this.#operation(1) }
  }

  #quantified(is: 'some' | 'every'): Expression {
    const each = this.#bound()
    this.#take(':')
    return { is, each, to: this.#expression() }
  }
}

function literal(value: number | string | boolean): Expression {
  return { is: 'literal', value }
}
