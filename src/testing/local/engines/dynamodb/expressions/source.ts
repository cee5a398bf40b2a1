import type { WireItem, WireValue } from '../../../../../base/limits/wireValue.ts'
import { invalid, type Refusal } from '../values/refusal.ts'

/** What an expression is evaluated against. */
export interface Scope {
  readonly item: WireItem | undefined
  /** `#alias` to name. */
  readonly names: Readonly<Record<string, string>>
  /** `:placeholder`, or `?0` of a PartiQL statement, to value. */
  readonly values: Readonly<Record<string, WireValue>>
}

/** A text that is being read, token by token, and what was found in it. */
export interface Source {
  /** The member of the request that holds the text. */
  readonly kind: string
  readonly isPartiQl: boolean
  /** The placeholders that the text uses. */
  readonly names: Set<string>
  readonly values: Set<string>
  /** What can be wrong with the values, whatever the item is. */
  readonly checks: ((scope: Scope) => void)[]
  /** The next token, without taking it; an empty text at the end. */
  peek(): string
  take(): string
  /** Takes the next token if it is this word, in any case, or this sign. */
  takeIf(word: string): boolean
  /** @throws Refusal when something else comes */
  expect(word: string): void
  /** That what comes next is not what may come. */
  unexpected(): Refusal
  wrong(why: string): Refusal
}

const TOKENS = /[#:]\w+|\w+|<>|<=|>=|[=<>(),.+\-[\]]|\S/gu
const PARTIQL_TOKENS = /"(?:[^"]|"")*"|'(?:[^']|'')*'|-?\d+(?:\.\d+)?|\w+|<>|<=|>=|\S/gu

export function openSource(kind: string, text: string, isPartiQl = false): Source {
  const tokens = text.match(isPartiQl ? PARTIQL_TOKENS : TOKENS) ?? []
  let at = 0
  const source: Source = {
    kind,
    isPartiQl,
    names: new Set(),
    values: new Set(),
    checks: [],
    peek: () => tokens[at] ?? '',
    take: () => tokens[at++] ?? '',
    takeIf(word) {
      if (source.peek().toUpperCase() !== word) return false
      at += 1
      return true
    },
    expect(word) {
      if (!source.takeIf(word)) throw source.unexpected()
    },
    unexpected() {
      const near = tokens.slice(Math.max(0, at - 1), at + 2).join(' ')
      return source.wrong(`Syntax error; token: "${tokens[at] ?? '<EOF>'}", near: "${near}"`)
    },
    wrong: (why) =>
      invalid(
        isPartiQl
          ? `Statement wasn't well formed, can't be processed: ${why}`
          : `Invalid ${kind}: ${why}`,
      ),
  }
  return source
}

/** What a table has under a word of a text. Without this, each word that every object has, such as `toString`, would stand in it. */
export function ownOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}

/** Reads one after the other, until no comma follows. */
export function readList<T>(source: Source, read: (source: Source) => T): readonly T[] {
  const all = [read(source)]
  while (source.takeIf(',')) all.push(read(source))
  return all
}
