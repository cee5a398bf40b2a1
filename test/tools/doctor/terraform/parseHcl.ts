type Json = Record<string, unknown>

/**
 * What a file of Terraform says, as far as our modules need it: blocks as lists below their labels, lists, objects and texts as they
 * are, and every other expression as `${…}` with its source. No heredocs.
 * @throws Error for what it cannot read
 */
export function parseHcl(text: string): Json {
  const reader = new Reader(text)
  const body = reader.body()
  reader.end()
  return body
}

const OPENING = '([{'
const CLOSING = ')]}'
const LITERAL = /^(?:-?\d+(?:\.\d+)?|true|false|null)$/

class Reader {
  private at = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Attributes and blocks, up to the end of the block or file. */
  body(): Json {
    const found: Json = {}
    for (;;) {
      this.skip(true)
      if (this.at === this.text.length || this.text[this.at] === '}') return found
      const name = this.take(/[\w-]+/y)
      const labels: string[] = []
      this.skip(false)
      while (this.text[this.at] === '"') {
        labels.push(this.quoted())
        this.skip(false)
      }
      if (this.text[this.at] === '=') {
        this.at++
        found[name] = this.value()
      } else {
        this.take(/\{/y)
        const inner = this.body()
        this.take(/\}/y)
        add(found, [name, ...labels], inner)
      }
    }
  }

  end(): void {
    if (this.at < this.text.length) this.fail('the end')
  }

  /** An expression, which ends at the end of its line, or before the comma or bracket of what it stands in. */
  private value(): unknown {
    this.skip(false)
    const from = this.at
    const whole = this.literalAt(this.text[from] ?? '')
    this.skip(false)
    if (whole !== undefined && this.isEnd()) return whole.value
    this.at = from
    const source = this.expression()
    return LITERAL.test(source) ? (JSON.parse(source) as unknown) : `\${${source}}`
  }

  /** A text, a list or an object; undefined for anything else. */
  private literalAt(first: string): { readonly value: unknown } | undefined {
    if (first === '"') return { value: this.quoted() }
    const isLoop = /^[[{]\s*for\b/.test(this.text.slice(this.at))
    if (isLoop || (first !== '[' && first !== '{')) return undefined
    this.at++
    return { value: first === '[' ? this.list() : this.object() }
  }

  private list(): unknown[] {
    const found: unknown[] = []
    for (;;) {
      this.skip(true)
      if (this.isNext(']')) return found
      found.push(this.value())
      this.skip(true)
      this.isNext(',')
    }
  }

  private object(): Json {
    const found: Json = {}
    for (;;) {
      this.skip(true)
      if (this.isNext('}')) return found
      const name = this.text[this.at] === '"' ? this.quoted() : this.take(/[\w-]+/y)
      this.skip(false)
      this.take(/[=:]/y)
      found[name] = this.value()
      this.skip(true)
      this.isNext(',')
    }
  }

  /** A text with its templates as they are written, and its escapes resolved. */
  private quoted(): string {
    const from = this.at
    this.passQuoted()
    const inner = this.text.slice(from + 1, this.at - 1)
    return inner.replaceAll(/\$\{[^}]*\}|\\(.)/g, (all, escaped: string | undefined) =>
      escaped === undefined ? all : escaped === 'n' ? '\n' : escaped,
    )
  }

  private passQuoted(): void {
    this.at++
    let depth = 0
    for (; this.at < this.text.length; this.at++) {
      const two = this.text.slice(this.at, this.at + 2)
      if (two === '${') depth++
      else if (depth > 0 && this.text[this.at] === '}') depth--
      else if (depth > 0 && this.text[this.at] === '"') {
        this.passQuoted()
        this.at--
      } else if (this.text[this.at] === '\\') this.at++
      else if (this.text[this.at] === '"') break
    }
    if (this.at++ >= this.text.length) this.fail('"')
  }

  /** The source of an expression. */
  private expression(): string {
    const from = this.at
    let depth = 0
    while (this.at < this.text.length) {
      if (depth === 0 && this.isEnd()) break
      const next = this.text[this.at] ?? ''
      if (next === '"') {
        this.passQuoted()
        continue
      }
      if (OPENING.includes(next)) depth++
      if (CLOSING.includes(next)) depth--
      this.at++
    }
    if (depth > 0 || from === this.at) this.fail('an expression')
    return this.text.slice(from, this.at).trim()
  }

  private isEnd(): boolean {
    return this.at === this.text.length || /^[\n,\])}#]/.test(this.text.slice(this.at, this.at + 1))
  }

  private isNext(wanted: string): boolean {
    const isThere = this.text[this.at] === wanted
    if (isThere) this.at++
    return isThere
  }

  /** Blanks and comments. @param withLines also the ends of lines */
  private skip(withLines: boolean): void {
    const blank = withLines ? /(?:\s|#.*|\/\/.*)*/y : /[ \t]*(?:(?:#|\/\/).*)?/y
    blank.lastIndex = this.at
    this.at += blank.exec(this.text)?.[0].length ?? 0
  }

  private take(pattern: RegExp): string {
    this.skip(false)
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.text) ?? this.fail(String(pattern))
    this.at += found.length
    return found
  }

  private fail(expected: string): never {
    const line = this.text.slice(0, this.at).split('\n').length
    const got = this.text.slice(this.at, this.at + 20)
    throw new Error(`line ${line}: expected ${expected}, got ${JSON.stringify(got)}`)
  }
}

/** Blocks of one name and the same labels are one list. */
function add(body: Json, [name = '', ...labels]: readonly string[], block: Json): void {
  if (labels.length === 0) {
    body[name] = [...((body[name] as Json[] | undefined) ?? []), block]
    return
  }
  const below = (body[name] ??= {}) as Json
  add(below, labels, block)
}
