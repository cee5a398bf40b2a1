/** Checks a value that came from a page. @returns what was expected; undefined: it fits */
export type Kind = (text: string) => string | undefined

function matching(pattern: RegExp, expected: string): Kind {
  return (text) => (pattern.test(text) ? undefined : expected)
}

/** Control characters are in no id of SQS, and no name in a table needs them. */
const PRINTABLE = /^[^\p{Cc}\p{Cs}]+$/u

/** `consumer/ID`, `flow/KEY`, a `uniquerequestid`, an external id. DynamoDB keys have at most 2,048 bytes. */
export const id: Kind = (text) =>
  text.length <= 2_048 && PRINTABLE.test(text) ? undefined : 'an id of 1 to 2,048 characters'

/** Of a consumer, flow, stage, step, call, effect, group or reason. */
export const name: Kind = (text) =>
  text.length <= 256 && PRINTABLE.test(text) ? undefined : 'a name of 1 to 256 characters'

/** Words of a person. */
export const words: Kind = (text) =>
  text.length <= 1_000 && PRINTABLE.test(text) ? undefined : 'a line of 1 to 1,000 characters'

export const plan: Kind = matching(/^[0-9a-f]{8}$/, 'the name of a plan, eight hexadecimal digits')

/** Name, URL or ARN. */
export const queue: Kind = matching(
  /^(?:[\w-]{1,80}(?:\.fifo)?|arn:[\w:.-]{1,200}|https?:\/\/[\w.:/-]{1,300})$/,
  'the name, URL or ARN of a queue',
)

export const prefix: Kind = matching(/^[\w-]{1,80}$/, 'the beginning of the name of a queue')

export const duration: Kind = matching(/^\d{1,7}(?:ms|s|m|h|d)$/, 'a time such as 30s, 10m or 2h')

export const time: Kind = matching(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/,
  'a time such as 2026-01-31T12:00Z',
)

/** Where a listing continues: base64url. */
export const place: Kind = matching(/^[\w-]{1,8000}$/, 'the field next of another listing')

/** A file that is written into the folder in which the console was started, and nowhere else. */
export const file: Kind = matching(
  /^[A-Za-z0-9][\w.-]{0,100}\.jsonl$/,
  'the name of a file that ends in .jsonl, without a folder',
)

/** A path into a JSON payload: `lines.0.sku`, or a JSON pointer. */
export const path: Kind = matching(/^[^\p{Cc}=]{1,500}$/u, 'a path of a payload, without =')

export function number(from: number, to: number): Kind {
  return (text) =>
    /^\d{1,9}$/.test(text) && Number(text) >= from && Number(text) <= to
      ? undefined
      : `a whole number from ${from} to ${to}`
}
