import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { served } from './served.ts'

/** Events that the test publishes. */
function source() {
  const takers = new Set<(event: object) => void>()
  return {
    takers,
    publish: (event: object) => {
      for (const take of takers) take(event)
    },
    subscribe: (take: (event: object) => void) => {
      takers.add(take)
      return () => void takers.delete(take)
    },
  }
}

type Line = Readonly<{ n: number; event?: { id: number } }>

/** Reads a stream, line by line. */
async function follow(
  server: Awaited<ReturnType<typeof served>>,
  query = '',
  signal?: AbortSignal,
) {
  const response = await fetch(`http://127.0.0.1:${server.port}/api/events${query}`, {
    headers: { 'x-lineclear-token': server.token },
    ...(signal !== undefined && { signal }),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  const writes: number[] = []
  const lines: Line[] = []
  return {
    response,
    writes,
    lines,
    until: async (enough: () => boolean): Promise<readonly Line[]> => {
      while (!enough()) {
        const { done = true, value = '' } = (await reader?.read()) ?? {}
        if (done) break
        const parts = `${rest}${value}`.split('\n')
        rest = parts.pop() ?? ''
        writes.push(parts.length)
        lines.push(...parts.map((line) => JSON.parse(line) as Line))
      }
      return lines
    },
  }
}

const limits = { writeEvery: 5, events: 50 }

describe('live events', () => {
  it('do not exist without a source', async () => {
    await using server = await served()
    expect((await server.ask('/api/events')).status).toBe(404)
  })

  it('are streamed with their numbers, those of before the reader came as well', async () => {
    const events = source()
    await using server = await served({ events, limits })
    events.publish({ id: 1 })
    const reader = await follow(server)
    expect(reader.response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    await reader.until(() => reader.lines.length === 1)
    events.publish({ id: 2 })
    expect(await reader.until(() => reader.lines.length === 2)).toEqual([
      { n: 1, event: { id: 1 } },
      { n: 2, event: { id: 2 } },
    ])
  })

  it('go on behind the last one that a reader has', async () => {
    const events = source()
    await using server = await served({ events, limits })
    for (let id = 1; id <= 5; id++) events.publish({ id })
    const reader = await follow(server, '?after=3')
    await reader.until(() => reader.lines.length === 2)
    expect(reader.lines.map(({ n }) => n)).toEqual([4, 5])
    const later = await follow(server, '?after=9000')
    await later.until(() => later.lines.length === 5)
    expect(later.lines.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5])
  })

  it('that are not kept any more are counted', async () => {
    const events = source()
    await using server = await served({ events, limits })
    for (let id = 1; id <= 120; id++) events.publish({ id })
    const reader = await follow(server, '?after=10')
    await reader.until(() => reader.lines.length === 50)
    expect(reader.lines[0]).toEqual({ n: 71, event: { id: 71 } })
    expect(reader.lines.at(-1)?.n).toBe(120)
  })

  it('come together, however many there are', async () => {
    const events = source()
    await using server = await served({
      events,
      limits: { ...limits, writeEvery: 20, events: 500 },
    })
    const reader = await follow(server)
    for (let id = 1; id <= 400; id++) events.publish({ id })
    await reader.until(() => reader.lines.length === 400)
    expect(reader.lines.map(({ n }) => n)).toEqual(Array.from({ length: 400 }, (_, at) => at + 1))
    expect(reader.writes.length).toBeLessThan(20)
  })

  it('that cannot be written do not end the stream', async () => {
    const events = source()
    await using server = await served({ events, limits })
    const knot: Record<string, unknown> = {}
    knot['self'] = knot
    events.publish(knot)
    events.publish({ id: 2 })
    const reader = await follow(server)
    await reader.until(() => reader.lines.length === 2)
    expect(reader.lines).toEqual([
      { n: 1, event: null },
      { n: 2, event: { id: 2 } },
    ])
  })

  it('wait for a reader that is slow: it gets those that are kept, and holds up nobody', async () => {
    const events = source()
    await using server = await served({ events, limits })
    const slow = await follow(server)
    const text = 'x'.repeat(64 * 1_024)
    for (let id = 1; id <= 600; id++) {
      events.publish({ id, text })
      // Lets the server write, which it must stop doing.
      if (id % 20 === 0) await wait(limits.writeEvery)
    }
    const quick = await follow(server, '?after=599')
    await quick.until(() => quick.lines.length === 1)
    await slow.until(() => slow.lines.at(-1)?.n === 600)
    const numbers = slow.lines.map(({ n }) => n)
    expect(numbers.length).toBeLessThan(600)
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
  })

  it('have a limit of readers, and forget those that go away', async () => {
    const events = source()
    await using server = await served({ events, limits: { ...limits, readers: 1 } })
    const leave = new AbortController()
    await follow(server, '', leave.signal)
    expect((await server.ask('/api/events')).status).toBe(503)
    leave.abort()
    const again = async (): Promise<number> => {
      const next = new AbortController()
      const { response } = await follow(server, '', next.signal)
      next.abort()
      return response.status
    }
    await expect.poll(again).toBe(200)
  })

  it('end with the console, which then hears of no more', async () => {
    const events = source()
    const server = await served({ events, limits })
    const reader = await follow(server)
    await server.stop()
    await expect(reader.until(() => false)).rejects.toThrow('terminated')
    expect(events.takers.size).toBe(0)
  })
})
