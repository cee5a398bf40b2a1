const TOLD = ['stage', 'key', 'uniquerequestid', 'attempt', 'why', 'because', 'until', 'error']

/** A line of the framework's log, for a person who watches it go by; figures are for CloudWatch. Other lines stay as they are. */
export function readableLine(text: unknown): unknown {
  if (typeof text === 'string' && text.startsWith('{"_aws"')) return undefined
  const line = typeof text === 'string' && text.startsWith('{"level"') ? parsed(text) : undefined
  if (line === undefined) return text
  const { timestamp = '', consumer = '', message } = line
  const told = TOLD.filter((name) => line[name] !== undefined).map(
    (name) => `${name} ${line[name]}`,
  )
  const details = told.length > 0 ? `  (${told.join(', ')})` : ''
  return `${timestamp.slice(11, 23)}  ${consumer.padEnd(18)}${message}${details}`
}

function parsed(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const line: unknown = JSON.parse(text)
    const fields = Object.entries(line ?? {})
    return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]))
  } catch {
    return undefined
  }
}
