import type { DevSample } from '../../dev/types.ts'

const KEY = 'lineclear-send '

/** What was sent last to this queue or topic, as it was typed. */
export function remembered(to: string): string | undefined {
  return localStorage.getItem(KEY + to) ?? undefined
}

/** @param text undefined: forgets it */
export function remember(to: string, text: string | undefined): void {
  if (text === undefined) localStorage.removeItem(KEY + to)
  else localStorage.setItem(KEY + to, text)
}

export function sampleText({ payload }: DevSample): string {
  return JSON.stringify(payload === undefined ? {} : payload, undefined, 2)
}

/** Where something can be sent to. A topic with the name of a queue is reached by the queue: the name alone means the queue. */
export function targetsOf(samples: readonly DevSample[]): readonly DevSample[] {
  const queues = new Set(samples.filter(({ kind }) => kind === 'queue').map(({ to }) => to))
  return samples.filter(({ kind, to }) => kind === 'queue' || !queues.has(to))
}

/** Where a text stops being JSON. */
interface JsonProblem {
  /** Both count from 1; undefined: the browser does not tell. */
  readonly line: number | undefined
  readonly column: number | undefined
  readonly message: string
}

/** @returns undefined: it is JSON */
export function jsonProblem(text: string): JsonProblem | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ...placeIn(text, message), message: sentenceOf(message) }
  }
}

/** Browsers write `line 1 column 5`, or `position 4`, or that the text ended. */
function placeIn(text: string, message: string): Pick<JsonProblem, 'line' | 'column'> {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? []
  if (line !== undefined) return { line: Number(line), column: Number(column) }
  const [, position] = /position (\d+)/.exec(message) ?? []
  const isAtEnd = /unexpected end/i.test(message)
  if (position === undefined && !isAtEnd) return { line: undefined, column: undefined }
  const before = text.slice(0, isAtEnd ? text.length : Number(position)).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** Without the place, which is said beside it, and without the text that was typed. */
function sentenceOf(message: string): string {
  return message
    .replace(/^JSON\.parse: /, '')
    .replace(/,? "[^]*" is not valid JSON$/, '')
    .replace(/ (?:in JSON )?at (?:position|line) \d+.*$/, '')
}
