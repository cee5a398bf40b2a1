/** What stands in a line of a history. Times are numbers of events, the same for all clients: README.md. */
export interface Operation {
  readonly history: string
  readonly model: Model
  readonly key: string
  readonly client: number
  readonly call: number
  /** null: the outcome is not known, and it may still happen at any later time. */
  readonly return: number | null
  readonly input: Content
  readonly output: Content | null
}

export type Model = 'counter' | 'register' | 'token' | 'stage'
export type Content = Readonly<Record<string, string | number | boolean | readonly string[]>>
export type Answer = (output: Content) => void

/** The history of one run, while it is written. */
export interface Book {
  /** Begins an operation. @returns what ends it with its outcome; without it the outcome stays unknown */
  begin(what: Pick<Operation, 'model' | 'key' | 'client' | 'input'>): Answer
  /** In the order of their calls. */
  operations(): readonly Operation[]
}

export function openBook(history: string): Book {
  const operations: Operation[] = []
  let events = 0
  return {
    begin({ model, key, client, input }) {
      const place = operations.length
      const call = (events += 1)
      const begun = { history, model, key, client, call, return: null, input, output: null }
      operations.push(begun)
      return (output) => {
        operations[place] = { ...begun, return: (events += 1), output }
      }
    },
    operations: () => operations,
  }
}

export function linesOf(operations: readonly Operation[]): string {
  return operations.map((operation) => `${JSON.stringify(operation)}\n`).join('')
}
