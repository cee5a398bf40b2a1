import { TextDecoder } from 'node:util'

/** A record of a CSV file, and the line of the file on which it begins. */
export interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

/** The text is not CSV as RFC 4180 describes it. */
export class CsvError extends Error {
  override readonly name: string = 'CsvError'
}

/** Characters of one field. A quote that is never closed would otherwise take the rest of the file. */
const MOST_CHARACTERS = 1_000_000

/**
 * Reads records of RFC 4180, in memory of one chunk: quoted fields may hold separators, doubled quotes and line ends; lines end
 * with LF or CRLF; a byte order mark and empty lines are skipped.
 * https://www.rfc-editor.org/rfc/rfc4180
 * @throws CsvError naming the line
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array | string>,
  separator: string,
): AsyncGenerator<CsvRecord> {
  const reader = openReader(separator)
  for await (const text of textsOf(chunks)) yield* reader.read(text)
  yield* reader.end()
}

async function* textsOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isFirst = true
  for await (const chunk of chunks) {
    const text = typeof chunk === 'string' ? chunk : decode(decoder, chunk)
    // The decoder removes the byte order mark of bytes, not that of a text.
    yield isFirst && text.startsWith('\uFEFF') ? text.slice(1) : text
    if (text !== '') isFirst = false
  }
  yield decode(decoder, undefined)
}

function decode(decoder: TextDecoder, chunk: Uint8Array | undefined): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined })
  } catch {
    throw new CsvError('expected UTF-8; got other bytes (was it saved as UTF-16 or Latin-1?)')
  }
}

/** `start`: at the first character of a field. `plain`, `quoted`: in a field. `quote`: behind a quote in a quoted field. */
type State = 'start' | 'plain' | 'quoted' | 'quote'

function openReader(separator: string) {
  let state: State = 'start'
  let field = ''
  let fields: string[] = []
  let line = 1
  let began = 1
  let afterReturn = false

  function endField(): void {
    fields.push(field)
    field = ''
    state = 'start'
  }

  /** undefined: the line was empty. */
  function endRecord(): CsvRecord | undefined {
    const isEmpty = state === 'start' && fields.length === 0
    if (!isEmpty) endField()
    const record = isEmpty ? undefined : { line: began, fields }
    fields = []
    began = line + 1
    return record
  }

  function take(character: string): CsvRecord | undefined {
    if (afterReturn && character !== '\n') throw wrong('expected a line end behind CR')
    afterReturn = false
    if (state === 'quoted') {
      if (character === '"') state = 'quote'
      else add(character)
      if (character === '\n') line += 1
      return undefined
    }
    if (character === separator) endField()
    else if (character === '\n') {
      const record = endRecord()
      line += 1
      return record
    } else if (character === '\r') afterReturn = true
    else if (character === '"') takeQuote()
    else if (state === 'quote') {
      throw wrong('expected a separator or a line end behind a closing quote')
    } else {
      state = 'plain'
      add(character)
    }
    return undefined
  }

  function takeQuote(): void {
    if (state === 'plain')
      throw wrong('expected no quote inside a field that does not begin with one')
    if (state === 'quote') add('"')
    state = 'quoted'
  }

  function add(characters: string): void {
    field += characters
    if (field.length > MOST_CHARACTERS) {
      throw wrong(
        `expected fields of at most ${MOST_CHARACTERS} characters; is a quote not closed?`,
      )
    }
  }

  function wrong(what: string): CsvError {
    return new CsvError(`line ${state === 'quoted' ? began : line}: ${what}`)
  }

  return {
    *read(text: string): Generator<CsvRecord> {
      for (let at = 0; at < text.length; at++) {
        const record = take(text[at] ?? '')
        if (record !== undefined) yield record
      }
    },
    *end(): Generator<CsvRecord> {
      if (state === 'quoted') throw wrong('its quote is not closed')
      if (afterReturn) throw wrong('expected a line end behind CR')
      const record = endRecord()
      if (record !== undefined) yield record
    },
  }
}
