import { Logger as PowertoolsLogger } from '@aws-lambda-powertools/logger'
import fc from 'fast-check'
import { emfMetrics, jsonLogger } from 'lineclear'
import { describe, expect, it, vi } from 'vitest'
import {
  isAbout,
  parseLogLine,
  type LineContent,
  readLog,
  splitLines,
} from '../../../src/tools/operator/log/readLog.ts'

const FIELDS = { consumer: 'orders', uniquerequestid: 'r1', because: 'stale', by: 'r2' }

/** As our own logger writes it. */
function ownLine(message = 'dropped', fields: Record<string, unknown> = FIELDS): string {
  let written = ''
  jsonLogger('INFO', (line) => (written = line)).info(message, fields)
  return written
}

/** As Powertools Logger writes it. */
function powertoolsLine(): string {
  const written: string[] = []
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text))
    return true
  })
  try {
    new PowertoolsLogger({ serviceName: 'shop', logLevel: 'INFO' }).info('dropped', FIELDS)
  } finally {
    spy.mockRestore()
  }
  return written.join('').trim()
}

const ENTRY = expect.objectContaining({
  at: expect.any(Number) as number,
  message: 'dropped',
  fields: expect.objectContaining(FIELDS) as object,
}) as object
const event = (message: string) => ({
  logStreamName: '2026/01/01/[$LATEST]0123',
  timestamp: 1_767_225_600_000,
  message: `${message}\n`,
  ingestionTime: 1_767_225_600_001,
  eventId: '3',
})

describe('a line of a log', () => {
  it.each([
    ['the default logger', () => ownLine()],
    ['Powertools Logger', powertoolsLine],
    ['aws logs tail', () => `2026-01-01T00:00:00.000000+00:00 2026/01/01/[$LATEST]ab ${ownLine()}`],
    ['aws logs tail --format short', () => `2026-01-01T00:00:00 ${ownLine()}`],
    ['the runtime, as text', () => `2026-01-01T00:00:00.000Z\t8f3c-1\tINFO\t${ownLine()}`],
    [
      'the runtime, as JSON with the line as a text',
      () => JSON.stringify({ timestamp: 'x', level: 'INFO', requestId: '1', message: ownLine() }),
    ],
    [
      'the runtime, as JSON with the line as an object',
      () => JSON.stringify({ level: 'INFO', message: JSON.parse(ownLine()) as unknown }),
    ],
    ['filter-log-events in one line', () => JSON.stringify({ events: [event(ownLine())] })],
  ])('of %s is read', (_name, line) => {
    expect(parseLogLine(line())).toEqual([ENTRY])
  })

  it('of filter-log-events over several lines is read, and what is around it is no garbage', () => {
    const document = {
      events: [event(ownLine()), event('START RequestId: 1')],
      searchedLogStreams: [],
    }
    const contents = JSON.stringify(document, undefined, 4).split('\n').map(parseLogLine)
    expect(contents.filter((each) => typeof each !== 'string')).toEqual([[ENTRY]])
    expect(contents.filter((each) => each === 'unreadable')).toHaveLength(1)
  })

  it('without a time of its own has that of what is around it', () => {
    const line = '{"message":"dropped","uniquerequestid":"r1"}'
    const [tail] = parseLogLine(`2026-01-01T00:00:00.000000+00:00 stream ${line}`) as [object]
    expect(tail).toMatchObject({ at: Date.parse('2026-01-01T00:00:00Z') })
    const [filtered] = parseLogLine(JSON.stringify({ events: [event(line)] })) as [object]
    expect(filtered).toMatchObject({ at: 1_767_225_600_000 })
    expect(parseLogLine(line)).toMatchObject([{ at: undefined }])
    const never = JSON.stringify({ events: [{ ...event(line), timestamp: 1e300 }] })
    expect(parseLogLine(never)).toMatchObject([{ at: undefined }])
  })

  it.each([
    'START RequestId: 8f3c Version: $LATEST',
    'REPORT RequestId: 8f3c Duration: 3 ms',
    '{"message":"half a li',
    '{"level":"INFO"}',
    'Error: broken {',
    'null',
    '3',
  ])('that is not a log entry is skipped: %s', (line) => {
    expect(parseLogLine(line)).toBe('unreadable')
  })

  it('of our metrics is no garbage', () => {
    const lines: string[] = []
    const metrics = emfMetrics({ write: (line) => void lines.push(line) })
    metrics.addMetric('completed', 'Count', 1)
    metrics.publishStoredMetrics()
    expect(lines.map(parseLogLine)).toEqual(['frame'])
  })

  it('never throws, whatever it holds', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `{"message":${json}}`),
    )
    fc.assert(
      fc.property(text, (line) => {
        const content: LineContent = parseLogLine(line)
        expect(['string', 'object']).toContain(typeof content)
      }),
    )
  })
})

async function collect(...chunks: readonly (Uint8Array | string)[]): Promise<readonly string[]> {
  const lines: string[] = []
  async function* source() {
    yield* chunks
  }
  for await (const line of splitLines(source())) lines.push(line)
  return lines
}

describe('a log in pieces', () => {
  it('is cut into lines wherever its pieces end, also in the middle of a character', async () => {
    const text = 'one\ntwö €\n\nlast'
    const bytes = Buffer.from(text)
    for (let at = 0; at <= bytes.length; at++) {
      expect(await collect(bytes.subarray(0, at), bytes.subarray(at))).toEqual(text.split('\n'))
    }
    expect(await collect('a\n', 'b\n')).toEqual(['a', 'b'])
    expect(await collect()).toEqual([])
  })

  it('without line ends does not fill the memory, and the next line is read', async () => {
    const piece = 'x'.repeat(4 * 1_048_576)
    const lines = await collect(...Array.from({ length: 20 }, () => piece), '\nnext\n')
    expect(lines).toEqual(['', 'next'])
  })

  it('counts lines, skipped lines, and the bytes read so far', async () => {
    const chunks = [`${ownLine()}\nSTART\n`, `${ownLine('other', { uniquerequestid: 'r9' })}\n`]
    const at: number[] = []
    async function* source() {
      yield* chunks
    }
    const report = await readLog(source(), { id: 'r1' }, (bytes) => at.push(bytes))
    expect(report).toMatchObject({ lines: 3, skipped: 1, more: false, entries: [ENTRY] })
    expect(at).toEqual(chunks.map(({ length }) => length))
  })

  it('keeps so many entries of a request, and says that there are more', async () => {
    const line = `${ownLine()}\n`
    async function* source() {
      for (let nth = 0; nth < 101; nth++) yield line.repeat(100)
    }
    const { entries, more, lines } = await readLog(source(), { id: 'r1' })
    expect([entries.length, more, lines]).toEqual([10_000, true, 10_100])
  })
})

describe('an entry is about', () => {
  const entry = (fields: Record<string, unknown>) => ({ at: 0, message: 'm', fields })
  const FLOW = { consumer: 'trip.book', stage: 'book', key: 'k', uniquerequestid: 'r1' }
  it.each([
    ['orders/r1', { consumer: 'orders', uniquerequestid: 'r1' }, true],
    ['lock#orders/r1', { consumer: 'orders', uniquerequestid: 'r1' }, true],
    ['orders/r1', { consumer: 'other', uniquerequestid: 'r1' }, false],
    ['orders/r1', { consumer: 'orders', uniquerequestid: 'r2' }, false],
    ['orders/m1', { consumer: 'orders', uniquerequestid: 'r1', messageId: 'm1' }, true],
    ['r1', { consumer: 'orders', uniquerequestid: 'r1' }, true],
    ['trip/k', FLOW, true],
    ['trip/other', FLOW, false],
    ['tri/k', FLOW, false],
    ['trip/r1', FLOW, true],
    ['r2', { ...FLOW, by: 'r2' }, true],
    ['trip/k', { pk: 'flow#trip/k', sk: 'stage' }, true],
    ['pay/key-1', { name: 'pay', lockToken: 'lock#pay/key-1' }, true],
    ['key-1', { name: 'pay', lockToken: 'lock#pay/key-1' }, true],
    ['q1', { consumer: 'trip.quote', externalId: 'q1' }, true],
    ['orders/r1', { consumer: 3, uniquerequestid: ['r1'] }, false],
  ] as const)('%s: %j is %s', (id, fields, expected) => {
    expect(isAbout({ id })(entry(fields))).toBe(expected)
  })

  it('one request of a key, when asked for it', () => {
    const about = isAbout({ id: 'trip/k', request: 'r1' })
    expect(about(entry(FLOW))).toBe(true)
    expect(about(entry({ ...FLOW, uniquerequestid: 'r2', by: 'r1' }))).toBe(true)
    expect(about(entry({ ...FLOW, uniquerequestid: 'r2' }))).toBe(false)
  })
})
