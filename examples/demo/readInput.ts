import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Callback } from './callbacks.ts'
import { UsageError } from './usageError.ts'

export interface Input {
  /** The bodies that can be sent. */
  readonly bodies: readonly string[]
  /** One sentence for each line that cannot. */
  readonly problems: readonly string[]
}

/** @throws UsageError when the file cannot be read or has no line that can be sent. */
export async function readInput(file: string): Promise<Input> {
  const input = readLines(await contentOf(file))
  if (input.bodies.length > 0) return input
  const found = input.problems.length === 0 ? 'no line' : input.problems.join('\n')
  throw new UsageError(`--input: expected at least one JSON value a line in ${file}, got ${found}`)
}

async function contentOf(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new UsageError(`--input: expected a file that can be read, got ${file} (${why})`)
  }
}

export function readLines(content: string): Input {
  const bodies: string[] = []
  const problems: string[] = []
  const seen = new Map<string, Seen>()
  for (const [index, raw] of content
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const body = raw.trim()
    if (body === '') continue
    const line = index + 1
    const problem = problemOf(body, line, seen)
    if (problem === undefined) bodies.push(body)
    else problems.push(`line ${line}: ${problem}; it is not sent, the others are`)
  }
  return { bodies, problems }
}

interface Seen {
  readonly line: number
  readonly callback: Callback
}

/** docs.aws.amazon.com/sns/latest/dg/sns-message-publish.html: 256 KiB; a little is left for attributes. */
const MOST_BYTES = 255 * 1024
/** API_SendMessage.html: the characters that SQS takes. JSON itself keeps out the control characters. */
const REFUSED = /[\u{FFFE}\u{FFFF}]/u

function problemOf(body: string, line: number, seen: Map<string, Seen>): string | undefined {
  const bytes = Buffer.byteLength(body)
  if (bytes > MOST_BYTES) return `expected at most ${MOST_BYTES} bytes, got ${bytes}`
  if (REFUSED.test(body)) return 'expected characters that SQS takes, got U+FFFE or U+FFFF'
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (error) {
    return `expected JSON, got ${shorten(body)} (${error instanceof Error ? error.message : ''})`
  }
  const { data } = Callback.safeParse(value)
  return data === undefined ? undefined : contradiction(data, line, seen)
}

/** The same transaction twice is a repeated callback; with another amount it is a mistake in the file. */
function contradiction(
  callback: Callback,
  line: number,
  seen: Map<string, Seen>,
): string | undefined {
  const { transactionId, account, amount } = callback
  const before = seen.get(transactionId)
  if (before === undefined) seen.set(transactionId, { line, callback })
  if (before === undefined) return undefined
  if (before.callback.account === account && before.callback.amount === amount) return undefined
  return `transaction ${transactionId} is in line ${before.line} already, with another account or amount`
}

function shorten(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}
