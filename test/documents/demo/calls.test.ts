import { expect, it } from 'vitest'
import { makeUpCallbacks } from '../../../examples/demo/callbacks.ts'
import { planCalls } from '../../../examples/demo/calls.ts'
import { FAULT_NAMES } from '../../../examples/demo/faults.ts'
import { readLines } from '../../../examples/demo/readInput.ts'

const bodies = makeUpCallbacks(400, 9)

it('makes up and calls the same for the same seed, and other things for another', () => {
  expect(makeUpCallbacks(400, 9)).toEqual(bodies)
  expect(makeUpCallbacks(400, 10)).not.toEqual(bodies)
  const calls = planCalls(bodies, FAULT_NAMES, 9)
  expect(planCalls(bodies, FAULT_NAMES, 9)).toEqual(calls)
  expect(planCalls(bodies, FAULT_NAMES, 10)).not.toEqual(calls)
})

it('calls a quarter twice, within milliseconds, by both routes and out of order', () => {
  const calls = planCalls(bodies, FAULT_NAMES, 9)
  const timesOf = Map.groupBy(calls, ({ body }) => body)
  expect([...timesOf.keys()].toSorted()).toEqual(bodies.toSorted())
  expect([...timesOf.keys()]).not.toEqual(bodies)
  const twice = [...timesOf.values()].filter(({ length }) => length === 2)
  expect(calls.length).toBe(bodies.length + twice.length)
  expect(twice.length).toBeGreaterThan(60)
  expect(twice.length).toBeLessThan(140)
  for (const [first, second] of twice) {
    expect(Number(second?.at) - Number(first?.at)).toBeLessThan(10)
  }
  const viaSns = calls.filter(({ route }) => route === 'sns').length / calls.length
  expect(viaSns).toBeGreaterThan(0.4)
  expect(viaSns).toBeLessThan(0.6)
})

it('calls each once and in order when nothing goes wrong', () => {
  expect(planCalls(bodies, [], 9).map(({ body }) => body)).toEqual(bodies)
})

it('reports the line of what cannot be sent, and keeps the others', () => {
  const one = '{"transactionId":"t","account":"a","amount":1}'
  const large = JSON.stringify('x'.repeat(255 * 1024))
  const { bodies: sendable, problems } = readLines(
    `\uFEFF${one}\r\n\n{"transactionId\n${one}\n"fits nothing"\n"\uFFFF"\n${large}\n${one.replace('1}', '2}')}`,
  )
  expect(sendable).toEqual([one, one, '"fits nothing"'])
  expect(problems).toEqual([
    expect.stringMatching(/^line 3: expected JSON, got "{\\"transactionId" \(.*\); it is not sent/),
    expect.stringMatching(/^line 6: expected characters that SQS takes, got U\+FFFE or U\+FFFF;/),
    expect.stringMatching(/^line 7: expected at most 261120 bytes, got 261122;/),
    expect.stringMatching(/^line 8: transaction t is in line 1 already, with another/),
  ])
})
