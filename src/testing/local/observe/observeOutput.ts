import { jsonLogger } from '../../../library/base/logger.ts'
import { parseObject } from '../../../library/protocol/record/envelope/json.ts'
import { currentInvocation, isTerminated } from '../faults/invocation.ts'
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
  return tapBoth((stream, write, args) => {
    const [chunk] = args
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const level = stream === process.stderr ? 'ERROR' : 'INFO'
    for (const line of listens() === undefined ? [] : text.split('\n')) observeLine(line, level)
    return write()
  })
}

/**
 * From now on code of a dead invocation writes nothing to standard output and error. A killed process writes nothing either, but here
 * the code continues: when the time of its function is up, it would log that it has timed out.
 * @returns a function that stops it
 */
export function silenceDead(): () => void {
  return tapBoth((_, write, args) => {
    const invocation = currentInvocation()
    if (invocation === undefined || !isTerminated(invocation)) return write()
    const written = args.find((each) => typeof each === 'function')
    if (written !== undefined) process.nextTick(written)
    return true
  })
}

const listens = listening(undefined, jsonLogger('WARN'))

type Tap = (stream: Stream, write: () => boolean, args: Parameters<Stream['write']>) => boolean

function tapBoth(tap: Tap): () => void {
  const restores = [process.stdout, process.stderr].map((stream) => {
    const original = stream.write
    const tapped = function write(this: Stream, ...args: Parameters<Stream['write']>): boolean {
      return tap(stream, () => Reflect.apply(original, stream, args), args)
    }
    stream.write = tapped as Stream['write']
    return () => {
      // Another program may have replaced it since.
      if (stream.write === tapped) stream.write = original
    }
  })
  return () => {
    for (const restore of restores) restore()
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
