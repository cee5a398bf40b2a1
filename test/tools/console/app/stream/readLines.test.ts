import { expect, it } from 'vitest'
import { readLines } from '../../../../../src/tools/console/app/stream/frames.ts'

async function linesOf(...chunks: readonly Uint8Array[]): Promise<unknown[]> {
  const lines: unknown[] = []
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  for await (const line of readLines(body)) lines.push(line)
  return lines
}

const bytes = new TextEncoder().encode('{"a":"ü"}\n\n{"b":2}\n{"cut')

it('reads lines wherever the chunks are cut, also in the middle of a character', async () => {
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(await linesOf(bytes.slice(0, at), bytes.slice(at))).toEqual([{ a: 'ü' }, { b: 2 }])
  }
})
