import { expect, it } from 'vitest'
import { attributeOf } from '../../src/testing/queues/simulatedQueue.ts'
import { consumerOf } from './consumerOf.ts'
import { nativeRedrive } from '../testing/nativeRedrive.ts'

const MIB = 1_048_576
const SMALLEST = 150

it.each([SMALLEST, 200, 400])(
  'a message %i bytes below the SQS limit is dead-lettered, redriven and runs',
  async (less) => {
    let fails = true
    const ran: unknown[] = []
    const { clock, dead, queue, sendStamped, deliver, reasons } = consumerOf(
      (payload) => {
        if (fails) throw new Error('no '.repeat(500))
        ran.push(payload)
      },
      { retry: { maxAttempts: 1 } },
    )
    const message = sendStamped('r', { body: `"${'x'.repeat(MIB - less - 2)}"` })
    await deliver(message)
    expect([queue.messages, reasons()]).toEqual([[], ['exhausted']])
    fails = false
    await deliver(nativeRedrive(dead, queue, clock.now()))
    expect([ran.length, queue.messages, dead.messages]).toEqual([1, [], []])
  },
)

it('a copy of a message without a trace has a trace of its own, not that of the invocation', async () => {
  const { queue, send, deliver } = consumerOf(() => Promise.reject(new Error('no')), {})
  await deliver([send('{}'), send('{}')])
  const first = queue.messages.map(({ message }) => message.traceHeader)
  expect(first.filter((trace) => /^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/.test(trace ?? ''))).toEqual(
    first,
  )
  expect(new Set(first).size).toBe(2)
})

it('a copy and a dead letter carry the X-Ray trace', async () => {
  const AWSTraceHeader = 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1'
  const { dead, queue, clock, send, deliver } = consumerOf(() => Promise.reject(new Error('no')), {
    retry: { maxAttempts: 2 },
  })
  await deliver(send('{}'), { AWSTraceHeader })
  expect(queue.messages.map(({ message }) => message.traceHeader)).toEqual([AWSTraceHeader])
  clock.advance(3_600_000)
  await deliver([...queue.messages], { AWSTraceHeader })
  expect(dead.messages.map(({ message }) => message.traceHeader)).toEqual([AWSTraceHeader])
  const [deadLetter] = dead.messages
  expect(attributeOf(deadLetter?.message ?? { body: '', attributes: {} }, 'lineclear')).toContain(
    'exhausted',
  )
})
