const TOLD = ['stage', 'key', 'uniquerequestid', 'attempt', 'why', 'because', 'until', 'error']

/** Characters. A longer name moves the text of its own line. */
const WIDTH = 24

/** A line of the framework's log, made readable in a terminal; figures are for CloudWatch, and lines for debugging for the log. Other text is left as it is. */
export function readableLine(text: string): string | undefined {
  if (text.startsWith('{"_aws"')) return undefined
  const line = text.startsWith('{"level"') ? parsed(text) : undefined
  if (line === undefined) return text
  if (line['level'] === 'DEBUG') return undefined
  const { timestamp, consumer, message } = line
  const shown = TOLD.filter((name) => line[name] !== undefined)
  const details = shown.map((name) => `${name} ${inWords(line[name])}`).join(', ')
  const who = `${inWords(consumer ?? '')}  `.padEnd(WIDTH)
  const at = inWords(timestamp ?? '').slice(11, 23)
  return `${at}  ${who}${inWords(message)}${details === '' ? '' : `  (${details})`}\n`
}

/** Powertools Logger writes an error as an object. */
function inWords(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'message' in value)
    return String(value.message)
  return String(value)
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const line: unknown = JSON.parse(text)
    return Object.fromEntries(Object.entries(line ?? {}))
  } catch {
    return undefined
  }
}
