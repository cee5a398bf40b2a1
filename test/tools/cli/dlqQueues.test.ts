import { describe, expect, it } from 'vitest'
import { onEachQueue, onQueuesTogether } from '../../../src/tools/cli/dlqQueues.ts'

const QUEUES = Array.from({ length: 20 }, (_, n) => `https://sqs/1/queue-${n}`)

/** The later a queue is asked, the sooner it answers. `most`: how many were asked at the same time. */
function asker() {
  const seen = { most: 0 }
  let [asked, running] = [0, 0]
  const work = async (queue: string): Promise<string> => {
    running += 1
    seen.most = Math.max(seen.most, running)
    const turns = QUEUES.length - (asked += 1)
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
    running -= 1
    if (queue.endsWith('-3')) throw new Error('access denied')
    return `of ${queue}`
  }
  return { seen, work }
}

async function allOf<T>(source: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const each of source) all.push(each)
  return all
}

describe.each([
  { name: 'one after the other', read: onEachQueue, most: 1 },
  { name: 'together, eight at a time', read: onQueuesTogether, most: 8 },
])('queues that are read $name', ({ read, most }) => {
  it('come in their order, and one that cannot be read does not hide the others', async () => {
    const { seen, work } = asker()
    const results = await allOf(read({ queues: QUEUES, found: [], unread: [] }, work))
    expect(results).toEqual(
      QUEUES.map((url, n) =>
        n === 3
          ? { unread: { name: 'queue-3', url, why: 'Error: access denied' } }
          : { queue: `queue-${n}`, result: `of ${url}` },
      ),
    )
    expect(seen.most).toBe(most)
  })

  it('a queue that was named must be readable', async () => {
    const chosen = { queues: ['queue-3'], found: undefined, unread: [] }
    await expect(allOf(read(chosen, asker().work))).rejects.toThrow('access denied')
  })
})
