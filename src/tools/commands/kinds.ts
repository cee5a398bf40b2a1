import { toMilliseconds } from '../../library/base/options.ts'
import type { Duration } from '../../library/base/time.ts'

/** What a value is: how the command line reads it, and what of it a page of the console may give. */
export interface Kind<T> {
  /** Placeholder of a value where a command is explained. '': it has none. */
  readonly word: string
  /** How a page gives it: `values` are JSON values by name, each of which becomes `NAME=JSON`. */
  readonly form: 'flag' | 'text' | 'json' | 'values'
  /** @param refuse throws, and says what was expected */
  read(text: string, refuse: (expected: string) => never): T
  /** Checks a text of a page, of `values` a name. @returns what was expected; undefined: it fits */
  page(text: string): string | undefined
}

/** An option without a value. */
export interface Flag extends Kind<boolean> {
  readonly form: 'flag'
}

export const flag: Flag = { word: '', form: 'flag', read: () => true, page: () => 'nothing' }

/** A kind of its own. Pages give it only with a check. */
export function kind<T>(
  word: string,
  read: Kind<T>['read'],
  page: Kind<T>['page'] = () => 'nothing',
): Kind<T> {
  return { word, form: 'text', read, page }
}

function text(word: string, page: Kind<string>['page']): Kind<string> {
  return kind(word, (given, refuse) => (given === '' ? refuse('a value') : given), page)
}

function matching(pattern: RegExp, expected: string): Kind<string>['page'] {
  return (given) => (pattern.test(given) ? undefined : expected)
}

/** Control characters are in no id of SQS, and no name in a table needs them. */
const PRINTABLE = /^[^\p{Cc}\p{Cs}]+$/u

function printable(most: number, what: string): Kind<string>['page'] {
  return (given) =>
    given.length <= most && PRINTABLE.test(given)
      ? undefined
      : `${what} of 1 to ${most.toLocaleString('en')} characters`
}

/** `consumer/ID`, `flow/KEY`, a `uniquerequestid`, an external id. DynamoDB keys have at most 2,048 bytes. */
export const id: Kind<string> = text('ID', printable(2_048, 'an id'))

/** Name of a consumer, flow, stage, step, call, effect, group or reason. */
export const name: Kind<string> = text('NAME', printable(256, 'a name'))

export const words: Kind<string> = text('TEXT', printable(1_000, 'a line'))

export const plan: Kind<string> = text(
  'PLAN',
  matching(/^[0-9a-f]{8}$/, 'the name of a plan, eight hexadecimal digits'),
)

/** Name, URL or ARN. */
export const queue: Kind<string> = text(
  'QUEUE',
  matching(
    /^(?:[\w-]{1,80}(?:\.fifo)?|arn:[\w:.-]{1,200}|https?:\/\/[\w.:/-]{1,300})$/,
    'the name, URL or ARN of a queue',
  ),
)

export const prefix: Kind<string> = text(
  'PREFIX',
  matching(/^[\w-]{1,80}$/, 'the beginning of the name of a queue'),
)

/** A file: no page gives one. */
export const file: Kind<string> = text('FILE', () => 'nothing')

/** Milliseconds. */
export const duration: Kind<number> = kind(
  'TIME',
  (given, refuse) => durationOf(given) ?? refuse('a time such as 30s, 10m, 2h or 1d'),
  matching(/^\d{1,7}(?:ms|s|m|h|d)$/, 'a time such as 30s, 10m or 2h'),
)

/** Milliseconds; undefined: the text is none. */
export function durationOf(given: string): number | undefined {
  try {
    return toMilliseconds('', given as Duration)
  } catch {
    return undefined
  }
}

export function number(from: number, to: number): Kind<number> {
  const fits = (given: string): boolean =>
    /^\d{1,9}$/.test(given) && Number(given) >= from && Number(given) <= to
  const open = to >= 1e7 ? '' : ` to ${to.toLocaleString('en')}`
  const expected = `a whole number from ${from}${open}`
  return kind(
    'N',
    (given, refuse) => (fits(given) ? Number(given) : refuse(expected)),
    (given) => (fits(given) ? undefined : expected),
  )
}

export const positiveInteger: Kind<number> = number(1, 9_999_999)

export const json: Kind<unknown> = {
  word: 'JSON',
  form: 'json',
  read: readJson,
  page: () => 'nothing',
}

/** `NAME=JSON`, whose name may be a path into a JSON payload: `lines.0.sku`, or a JSON pointer. */
export function namedJson(word: string): Kind<readonly [string, unknown]> {
  return {
    word: `${word}=JSON`,
    form: 'values',
    read(given, refuse) {
      const at = given.indexOf('=')
      if (at < 1) return refuse(`${word}=JSON`)
      return [given.slice(0, at), readJson(given.slice(at + 1), refuse)]
    },
    page: matching(/^[^\p{Cc}=]{1,500}$/u, 'a path of a payload, without ='),
  }
}

function readJson(given: string, refuse: (expected: string) => never): unknown {
  try {
    return JSON.parse(given) as unknown
  } catch {
    return refuse(`JSON, in which a string needs quotes ('"text"')`)
  }
}
