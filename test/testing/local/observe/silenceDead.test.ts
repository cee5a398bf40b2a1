import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import {
  newInvocation,
  runInside,
  terminate,
} from '../../../../src/testing/local/faults/invocation.ts'
import { silenceDead } from '../../../../src/testing/local/observe/observeOutput.ts'

const original = process.stdout.write
afterEach(() => {
  process.stdout.write = original
})

it('what a dead invocation writes later is written nowhere; others go on', async () => {
  const write = vi.fn<(text: string, written?: () => void) => boolean>((_text, written) => {
    written?.()
    return true
  })
  process.stdout.write = write as typeof process.stdout.write
  const restore = silenceDead()
  const invocation = newInvocation(1, {}, () => {})
  const later = runInside(invocation, async () => {
    process.stdout.write('alive\n')
    await sleep(10)
    // Whoever waits for its line to be written is not kept waiting.
    await new Promise<void>((resolve) => process.stdout.write('dead\n', () => resolve()))
  })
  terminate(invocation, 'killed')
  await later
  process.stdout.write('another\n')
  expect(write.mock.calls.map(([text]) => text)).toEqual(['alive\n', 'another\n'])
  restore()
  expect(process.stdout.write).toBe(write)
})
