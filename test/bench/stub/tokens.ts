const TOKEN = /"[^"]+"|\?\d+|[#:]?\w+|<>|<=|>=|[=<>(),]/g

/** Where a reader stands in a text. */
export interface Cursor {
  readonly text: string
  /** The next token, without taking it; an empty text at the end. */
  peek(): string
  take(): string
  /** Takes the next token if it is this word or sign, in any case. */
  takeIf(word: string): boolean
  /** @throws when something else comes. */
  expect(word: string): void
}

export function openCursor(text: string): Cursor {
  const tokens = text.match(TOKEN) ?? []
  let at = 0
  const cursor: Cursor = {
    text,
    peek: () => tokens[at] ?? '',
    take: () => tokens[at++] ?? '',
    takeIf(word) {
      if (cursor.peek().toUpperCase() !== word) return false
      at += 1
      return true
    },
    expect(word) {
      if (!cursor.takeIf(word)) throw unreadable(cursor, word)
    },
  }
  return cursor
}

/** The stub reads what the peers send and no more: a text it cannot read must stop the run, not falsify it. */
export function unreadable({ text, peek }: Cursor, expected: string): Error {
  return new Error(`the stub expected ${expected} and found ${JSON.stringify(peek())} in: ${text}`)
}
