import type { Ledger, LedgerRow } from '../operator/reconcile/knownRequest.ts'
import { CsvError, type CsvRecord, readCsv } from './csv.ts'
import { UsageError } from './usageError.ts'

/** Names in the header of a CSV file. undefined: it has no such column. */
interface Columns {
  readonly id: string
  readonly count: string | undefined
  readonly effect: string | undefined
  readonly time: string | undefined
}

/**
 * A ledger in CSV, whose first record is the header.
 * @param open opens the file, or standard input
 * @throws UsageError for a file that is not CSV, or that lacks a column
 */
export function csvLedger(
  open: () => AsyncIterable<Uint8Array | string>,
  columns: Columns,
  separator: string,
): Ledger {
  return async function* () {
    try {
      yield* rowsOf(readCsv(open(), separator), columns, separator)
    } catch (error) {
      throw asUsageError(error)
    }
  }
}

async function* rowsOf(
  records: AsyncIterable<CsvRecord>,
  columns: Columns,
  separator: string,
): AsyncGenerator<LedgerRow> {
  let places: Places | undefined
  let width = 0
  for await (const record of records) {
    if (places === undefined) {
      places = placesOf(record.fields, columns, separator)
      width = record.fields.length
    } else yield rowOf(record, places, width)
  }
  if (places === undefined) {
    throw new UsageError(`--ledger: expected a header with the column ${columns.id}; got no line`)
  }
}

type Places = Readonly<Record<keyof Columns, number | undefined>> & { readonly id: number }

function placesOf(header: readonly string[], columns: Columns, separator: string): Places {
  const placeOf = (name: string | undefined): number | undefined => {
    if (name === undefined) return undefined
    const places = [...header.keys()].filter((at) => header[at] === name)
    if (places.length === 1) return places[0]
    throw wrongHeader(name, places.length, header, separator)
  }
  const { id, count, effect, time } = columns
  return {
    id: placeOf(id) ?? 0,
    count: placeOf(count),
    effect: placeOf(effect),
    time: placeOf(time),
  }
}

const OTHER_SEPARATORS = [',', ';', '\t', '|']

function wrongHeader(
  name: string,
  found: number,
  header: readonly string[],
  separator: string,
): UsageError {
  const listed = header.map((each) => JSON.stringify(each)).join(', ')
  const other = OTHER_SEPARATORS.find(
    (each) => each !== separator && header.length === 1 && header[0]?.includes(each),
  )
  const hint =
    other === undefined
      ? ''
      : `. Its columns seem to be separated by ${JSON.stringify(other)}: give --separator`
  return new UsageError(
    `--ledger: expected one column ${JSON.stringify(name)} in the header; got ${found === 0 ? 'none' : found} among ${listed}${hint}`,
  )
}

function rowOf({ line, fields }: CsvRecord, places: Places, width: number): LedgerRow {
  if (fields.length !== width) {
    throw new UsageError(
      `--ledger: line ${line}: expected ${width} fields, as in the header; got ${fields.length}`,
    )
  }
  const at = (place: number | undefined): string | undefined =>
    place === undefined ? undefined : fields[place]
  return {
    id: at(places.id) ?? '',
    count: at(places.count),
    effect: at(places.effect),
    at: timeIn(at(places.time)),
  }
}

/** Epoch milliseconds, or a text; databases write `2026-01-31 12:00:00+00` for `2026-01-31T12:00:00+00:00`. */
function timeIn(text: string | undefined): number | string | undefined {
  if (text === undefined) return undefined
  if (/^\d{12,14}$/.test(text)) return Number(text)
  return text.replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T').replace(/ ?([+-]\d\d)$/, '$1:00')
}

function asUsageError(error: unknown): unknown {
  if (error instanceof CsvError) return new UsageError(`--ledger: ${error.message}`)
  if (error instanceof Error && 'syscall' in error) {
    return new UsageError(`--ledger: expected a file that can be read, or -; ${error.message}`)
  }
  return error
}
