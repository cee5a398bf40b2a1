import { jsonLogger } from '../../../base/logger.ts'
import { parseObject } from '../../../record/envelope/json.ts'
import type { LogLine } from './event.ts'
import { listening } from './publish.ts'
import { currentlyObserved } from './watchInvocation.ts'

type Stream = NodeJS.WriteStream
/** Characters of a line. */
const LONGEST_LINE = 4_096

/**
 * From now on each line that this process writes to standard output and error also becomes an event `log`, with the invocation that
 * has written it. What is written stays as it is. Metrics in CloudWatch's embedded format are no log, and are left out.
 * @returns a function that stops it
 * @example
 * const stop = observeOutput()
 */
export function observeOutput(): () => void {
  const restores = [tap(process.stdout, 'INFO'), tap(process.stderr, 'ERROR')]
  return () => {
    for (const restore of restores) restore()
  }
}

const listens = listening(undefined, jsonLogger('WARN'))

function tap(stream: Stream, level: string): () => void {
  const original = stream.write
  const tapped = function write(this: Stream, ...args: Parameters<Stream['write']>): boolean {
    const [chunk] = args
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    for (const line of listens() === undefined ? [] : text.split('\n')) observeLine(line, level)
    return Reflect.apply(original, stream, args)
  }
  stream.write = tapped as Stream['write']
  return () => {
    // Another program may have replaced it since.
    if (stream.write === tapped) stream.write = original
  }
}

/** @param level of a line that names none */
function observeLine(line: string, level: string): void {
  const emit = listens()
  const parsed = emit && parseLine(line, level)
  if (parsed === undefined) return
  emit?.({ ...currentlyObserved(), ...parsed, type: 'log', at: Date.now() })
}

/** @returns undefined for an empty line and for metrics */
export function parseLine(
  line: string,
  otherwise: string,
): Pick<LogLine, 'level' | 'message' | 'fields'> | undefined {
  if (line.trim() === '') return undefined
  const text = line.slice(0, LONGEST_LINE)
  const parsed = line.startsWith('{') ? parseObject(line) : undefined
  if (parsed === undefined || line.length > LONGEST_LINE) {
    return { level: otherwise, message: text, fields: {} }
  }
  const { level, message, _aws: metrics, ...fields } = parsed
  if (metrics !== undefined) return undefined
  return {
    level: typeof level === 'string' ? level.toUpperCase() : otherwise,
    message: typeof message === 'string' ? message : '',
    fields,
  }
}
