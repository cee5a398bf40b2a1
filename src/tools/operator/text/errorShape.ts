import { stableId } from '../../../library/base/ids.ts'
import { keepNames } from './errorNames.ts'

const MAX_LENGTH = 160
const READ_LENGTH = 2_000

type Replacement = readonly [pattern: RegExp, shape: string | ((found: string) => string)]

/**
 * In this order. A group is named after the shape, and operators keep the names in tickets and scripts: a change here renames
 * groups. Every quantifier is bounded or has no alternative way to match, because error texts may be written to be slow.
 */
const REPLACEMENTS: readonly Replacement[] = [
  [/\barn:[\w-]{0,20}:[^\s"'<>,;)\]]{1,500}/g, '<arn>'],
  [
    /\b(https?:\/\/[^\s/"'<>,;)\]?#]{1,255})[/?#][^\s"'<>,;)\]]*/g,
    (url) => `${originOf(url)}<path>`,
  ],
  [
    /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?Z| ?[+-]\d\d:?\d\d)?)?/g,
    '<time>',
  ],
  [/[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}/g, '<address>'],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, '<id>'],
  // An apostrophe is within a word, or at its end.
  [/"[^"]{0,500}"|`[^`]{0,500}`|(?<!\w)'[^']{0,500}'(?!\w)/g, '<text>'],
  [/(?<![\w<>:/])(?:[A-Za-z]:)?(?:[/\\][\w.@%+~-]{1,255}){2,}[/\\]?/g, '<path>'],
  // Hashes, ULIDs and receipt handles are long and contain digits. A long word without a digit stays.
  [/[\w+/=-]{16,}/g, (found) => (/\d/.test(found) ? '<id>' : found)],
  [/\b0x[\da-f]+\b/gi, '<id>'],
  [/\b\w{6,}\b/g, (word) => (isMixed(word) ? '<id>' : word)],
  [/\d+(?:[.,]\d+)*/g, '<n>'],
  [/[\s\p{Cc}]+/gu, ' '],
  // A list is as long as its input.
  [/(<(?:n|id|text)>)(?:,? ?\1)+/g, (list) => `${/^<\w+>/.exec(list)?.[0] ?? ''}…`],
]

function originOf(url: string): string {
  return /^https?:\/\/[^/?#]*/.exec(url)?.[0] ?? url
}

/** `9s6XKz`, but not `order17`, `17ms` or `S3Error`: letters after digits, and more than one digit. */
function isMixed(word: string): boolean {
  return /\d.*\d/.test(word) && /\d[A-Za-z]/.test(word) && /[A-Za-z]\w*\d/.test(word)
}

interface ErrorShape {
  /** At most 160 characters. A group is named after it. */
  readonly shape: string
  /** The same for a reader: with `…` where it was cut. */
  readonly shown: string
}

function masked(error: string): string {
  return REPLACEMENTS.reduce(
    (text, [pattern, shapeOf]) =>
      typeof shapeOf === 'string'
        ? text.replace(pattern, shapeOf)
        : text.replace(pattern, (found) => shapeOf(found)),
    error,
  )
}

/**
 * An error text without what differs between dead letters of one cause: numbers, ids, quoted values, times, addresses, ARNs and
 * paths. A status, a code and the name of a part stay: they are what the cause is.
 */
export function errorShape(error: string): ErrorShape {
  const whole = keepNames(error.slice(0, READ_LENGTH), masked)
  const shape = whole.slice(0, MAX_LENGTH).trim()
  const isCut = error.length > READ_LENGTH || whole.trim().length > shape.length
  return { shape, shown: isCut ? `${shape}…` : shape }
}

/**
 * The same in every run, for dead letters and for their requests in the table. Hexadecimal, so that it never begins with a dash on a
 * command line.
 * @param shape of the error, without ids and numbers
 */
export function groupName(origin: string, reason: string, shape: string): string {
  return Buffer.from(stableId('dead letters', origin, reason, shape), 'base64url')
    .toString('hex')
    .slice(0, 8)
}

/** The reason and the error that failed requests have in common, on any consumer and any queue. */
export interface Cause {
  /** As the name of a group, and accepted in its place. */
  readonly name: string
  readonly reason: string
  /** The error text without what differs between requests. */
  readonly error: string
}

/** @returns undefined without an error: two that say nothing have nothing in common */
export function causeOf(reason: string, { shape, shown }: ErrorShape): Cause | undefined {
  return shape === '' ? undefined : { name: groupName('', reason, shape), reason, error: shown }
}
