/**
 * What a comment above a line says of its mutants: that no test can kill them, and why. `// @survives Regex: …`, or of
 * several `// @survives Regex, StringLiteral ×2: …`.
 */
export interface Mark {
  /** Of the code that it speaks of, from 1. */
  readonly line: number
  readonly mutator: string
  /** How many mutants of that kind, on that line, survive. */
  readonly count: number
}

const COMMENT = /^\s*\/\//
const MARK = /^\s*\/\/ @survives (.+?): ./
const KIND = /^(\w+)(?: ×(\d+))?$/

/** @throws Error for a mark that has another form */
export function marksIn(text: string): Mark[] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    if (!line.includes('@survives')) return []
    const below = lines.findIndex((each, index) => index > at && !COMMENT.test(each))
    const kinds = MARK.exec(line)?.[1]?.split(', ') ?? ['']
    return kinds.map((kind) => {
      const [, mutator, count = '1'] = KIND.exec(kind) ?? []
      if (mutator === undefined)
        throw new Error(`expected "// @survives KIND: why", got "${line.trim()}"`)
      return { line: below + 1, mutator, count: Number(count) }
    })
  })
}
