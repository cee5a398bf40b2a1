import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { hashValue, JsonNumber, wellFormed } from '../../base/hashValue.ts'
import { encodeValue, toPlainData } from '../../run/context/results/storedValue.ts'
import type { UserValue } from '../../protocol/store/store.ts'
import { canonical } from '../../protocol/store/value.ts'
import type { HttpEvent } from './http/httpEvent.ts'

/**
 * Equal values have equal texts, whatever the order of their fields.
 * @throws when a value contains itself
 */
export function canonicalText(value: unknown): string {
  return wellFormed(canonical(JSON.parse(encodeValue(toPlainData(value).value)) as UserValue))
}

/**
 * The stored form of a key, SHA-256 in hex. It must never change: what was stored under a key would not be found any more. Parts
 * are length-prefixed, so `['a', 'bc']` and `['ab', 'c']` differ.
 */
export function hashParts(parts: readonly unknown[]): string {
  const texts = parts.map(canonicalText)
  return hash('sha256', texts.map((text) => `${text.length}:${text}`).join(''), 'hex')
}

/** Characters. A longer body is compared as text, because parsing it could cost more than the work itself. */
const LONGEST_READ = 65_536

/**
 * Method, path, query and body.
 * @throws NotComparableError naming the path in a body that a middleware has parsed
 */
export function fingerprintOfRequest(http: HttpEvent): string {
  const { method, path, query } = http
  return hashValue([method, path, query ?? null, contentOf(http)])
}

/** @returns null: there is no body */
function contentOf({ body, isBase64, header }: HttpEvent): string | null {
  if (body === undefined) return null
  if (typeof body !== 'string') {
    // @protects a body that a middleware has parsed is compared
    // @without null @tests test/call/http
    return fingerprintOfParsed(body)
  }
  if (!isBase64) return fingerprintOfContent(body, header)
  const bytes = Buffer.from(body, 'base64')
  return isUtf8(bytes) ? fingerprintOfContent(bytes.toString(), header) : hashValue(bytes)
}

/** As its text would be compared, so that a parser which is added or moved changes nothing. */
function fingerprintOfParsed(body: unknown): string {
  return hashValue(['json', body], 'parsed')
}

const FORM = 'application/x-www-form-urlencoded'

/** The fields of a form have no order, as an object's fields have none; several values of one name have one. */
function fingerprintOfContent(text: string, header: HttpEvent['header']): string {
  const isForm = header('content-type')?.trim().toLowerCase().startsWith(FORM) === true
  if (!isForm || text.length > LONGEST_READ) return fingerprintOfText(text)
  const fields = [...new URLSearchParams(text)]
  return hashValue([
    'form',
    fields.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other))),
  ])
}

/** JSON is compared by content. Anything that is not JSON, too long or nested too deep is compared as text. */
export function fingerprintOfText(text: string): string {
  try {
    if (text.length <= LONGEST_READ) return hashValue(['json', readJson(text)])
  } catch {
    // The text is not JSON, or is nested too deep: it is compared as text.
  }
  return hashValue(['text', hashText(text)])
}

function readJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? numberFrom(context?.source ?? String(value), value) : value,
  )
}

/** As a number if that says exactly what was written, so that 10 and 10.0 are equal; else with its spelling. */
function numberFrom(source: string, value: number): number | JsonNumber {
  const written = decimalOf(source)
  // `String` makes 0 of -0.
  const exact = Object.is(value, -0) ? '-0' : decimalOf(String(value))
  return written === exact ? value : new JsonNumber(written ?? source)
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i

/** Sign, digits without zeros at their ends, and exponent; undefined: it is no finite number. */
function decimalOf(source: string): string | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(source) ?? []
  if (sign === undefined) return undefined
  const digits = (whole + fraction).replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  if (short === '') return `${sign}0`
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`
}

function hashText(text: string): string {
  return hash('sha256', wellFormed(text), 'hex')
}
